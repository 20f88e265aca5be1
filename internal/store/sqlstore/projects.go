package sqlstore

import (
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// Project finds the project of the first alias that is known, or makes one.
func (s *Store) Project(ctx context.Context, cleanName redact.Clean[string], cleanAliases redact.Clean[[]piton.Alias]) (piton.Project, error) {
	name, aliases := cleanName.Get(), cleanAliases.Get()
	if len(aliases) == 0 {
		return piton.Project{}, piton.Errorf(piton.Invalid, "find the project", "give the path of a folder", "a project without path or origin")
	}
	p, known, err := s.project(ctx, aliases)
	if err != nil || !slices.ContainsFunc(aliases, func(a piton.Alias) bool { return !known[a] }) {
		return p, err
	}
	err = s.write(ctx, "write the project", func(t *tx) error {
		// Another process may have been first.
		if p, known, err = t.project(ctx, aliases); err != nil {
			return err
		}
		if p.ID == "" {
			p = piton.Project{ID: piton.NewID(piton.ProjectPrefix), Name: name}
			if err := t.exec(ctx, "write the project", `INSERT INTO projects (id, name, created_at) VALUES ($1, $2, $3)`, p.ID, p.Name, now().Millis()); err != nil {
				return err
			}
		}
		for _, a := range aliases {
			if known[a] {
				continue
			}
			if err := t.exec(ctx, "write the project", `INSERT INTO aliases (kind, value, project) VALUES ($1, $2, $3) ON CONFLICT (kind, value) DO NOTHING`, string(a.Kind), a.Value, p.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return p, err
}

// KnownProject finds the project of the first alias that is known.
func (r reader) KnownProject(ctx context.Context, aliases []piton.Alias) (piton.Project, error) {
	p, _, err := r.project(ctx, aliases)
	if err == nil && p.ID == "" {
		err = piton.Errorf(piton.NotFound, "find the project", "nothing has been saved for it yet", "Piton has not seen this folder")
	}
	return p, err
}

// project looks the aliases up; the first one known decides.
func (r reader) project(ctx context.Context, aliases []piton.Alias) (p piton.Project, known map[piton.Alias]bool, err error) {
	known = map[piton.Alias]bool{}
	for _, a := range aliases {
		var found piton.Project
		if known[a], err = r.get(ctx, "find the project", `SELECT p.id, p.name FROM aliases a JOIN projects p ON p.id = a.project WHERE a.kind = $1 AND a.value = $2`,
			params{string(a.Kind), a.Value}, &found.ID, &found.Name); err != nil {
			return p, nil, err
		}
		if p.ID == "" {
			p = found
		}
	}
	return p, known, nil
}

// Projects lists the projects of this machine with their origins, once for each of their folders.
func (s *Store) Projects(ctx context.Context) ([]piton.Project, error) {
	return collect(ctx, s.reader, "list the projects", func(scan scanner) (p piton.Project, err error) {
		err = scan(&p.ID, &p.Name, &p.Origin, &p.Root)
		return p, err
	}, `SELECT p.id, p.name, COALESCE((SELECT MIN(a.value) FROM aliases a WHERE a.project = p.id AND a.kind = 'origin'), ''),
		COALESCE(f.value, '') FROM projects p LEFT JOIN aliases f ON f.project = p.id AND f.kind = 'path' ORDER BY p.id, f.value DESC`)
}
