package sqlstore

import (
	"strings"

	"github.com/piton-project/piton/internal/store/words"
)

// checkpointFrom keeps a checkpoint whose workflow's row is lost.
const checkpointFrom = ` FROM checkpoints c LEFT JOIN workflows w ON w.id = c.workflow_id `

// TextSearch is how a database finds checkpoints by their terms. Its table is
// made at the first search and not by a migration, so that programs which know
// nothing of it go on using the database. Terms are letters, digits and signs
// in lower case, never punctuation (words.Terms).
type TextSearch struct {
	Create   string // statement that makes the table search_index
	Drop     string // and the one that removes it, if it is there
	Put      string // adds a row, unless it is there: $1 the ordinal, $2 the terms with blanks between them
	Remove   string // removes the row of the ordinal $1
	Ordinals string // a SELECT of all ordinals in it, as the column ordinal, read without the index
	From     string // tables of a list, with checkpoints c and workflows w
	Ordinal  string // by which the list is in order without being sorted
	Match    string // condition on c.ordinal; %d is the number of the parameter that holds the question

	Question func(list []words.Asked) string // the question's text
}

// FTS5 is the search of SQLite. The table keeps no text, only where terms
// occur. The tokenizer ascii leaves terms as they are: they were folded before.
func FTS5() *TextSearch {
	return &TextSearch{
		Create:   `CREATE VIRTUAL TABLE search_index USING fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
		Drop:     `DROP TABLE IF EXISTS search_index`,
		Put:      `INSERT INTO search_index (rowid, terms) VALUES ($1, $2)`,
		Remove:   `DELETE FROM search_index WHERE rowid = $1`,
		Ordinals: `SELECT id AS ordinal FROM search_index_docsize`,
		// The index hands out its rows from the newest on, so that of words that
		// are everywhere only a page is read.
		From:    ` FROM search_index s CROSS JOIN checkpoints c LEFT JOIN workflows w ON w.id = c.workflow_id `,
		Ordinal: `s.rowid`,
		Match:   `s.search_index MATCH $%d AND c.ordinal = s.rowid`,
		Question: func(list []words.Asked) string {
			return join(list, " AND ", func(a words.Asked) string {
				if a.Begin {
					return `"` + a.Term + `"*`
				}
				return `"` + a.Term + `"`
			})
		},
	}
}

// TSVector is the search of PostgreSQL: lexemes as they are, as the
// configuration simple has them, with a GIN index.
func TSVector() *TextSearch {
	return &TextSearch{
		Create: `CREATE TABLE search_index (ordinal BIGINT PRIMARY KEY, terms TSVECTOR NOT NULL);
			CREATE INDEX search_index_terms ON search_index USING GIN (terms)`,
		Drop:     `DROP TABLE IF EXISTS search_index`,
		Put:      `INSERT INTO search_index (ordinal, terms) VALUES ($1, ARRAY_TO_TSVECTOR(STRING_TO_ARRAY(CAST($2 AS TEXT), ' '))) ON CONFLICT (ordinal) DO NOTHING`,
		Remove:   `DELETE FROM search_index WHERE ordinal = $1`,
		Ordinals: `SELECT ordinal FROM search_index`,
		From:     checkpointFrom,
		Ordinal:  `c.ordinal`,
		Match:    `c.ordinal IN (SELECT x.ordinal FROM search_index x WHERE x.terms @@ CAST(CAST($%d AS TEXT) AS TSQUERY))`,
		Question: func(list []words.Asked) string {
			return join(list, " & ", func(a words.Asked) string {
				if a.Begin {
					return `'` + a.Term + `':*`
				}
				return `'` + a.Term + `'`
			})
		},
	}
}

func join(list []words.Asked, between string, text func(words.Asked) string) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = text(a)
	}
	return strings.Join(texts, between)
}
