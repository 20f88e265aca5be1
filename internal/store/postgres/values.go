package postgres

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/piton-project/piton/internal/store/sqlstore"
)

// values turns values into what travels, and back.
type values struct{ types *pgtype.Map }

// decode makes a value for database/sql.
func (x values) decode(f pgconn.FieldDescription, b []byte) (driver.Value, error) {
	if b == nil {
		return nil, nil
	}
	if f.Format == pgtype.BinaryFormatCode {
		switch f.DataTypeOID {
		case pgtype.Int8OID:
			if len(b) == 8 {
				return int64(binary.BigEndian.Uint64(b)), nil
			}
		case pgtype.Int4OID:
			if len(b) == 4 {
				return int64(int32(binary.BigEndian.Uint32(b))), nil
			}
		case pgtype.BoolOID:
			if len(b) == 1 {
				return b[0] != 0, nil
			}
		case pgtype.ByteaOID:
			return append([]byte{}, b...), nil
		case pgtype.TextOID, pgtype.VarcharOID, pgtype.NameOID:
			return string(b), nil
		}
	}
	var text string
	err := x.types.Scan(f.DataTypeOID, f.Format, b, &text)
	return text, err
}

// encode makes the parameters of a statement ready to travel. The server finds their
// types in the statement.
func (x values) encode(text string, args []driver.NamedValue) (stmt, error) {
	q := sqlstore.Asked{Query: text, Args: make([]any, len(args))}
	for i, a := range args {
		q.Args[i] = a.Value
	}
	return x.encodeAll(q)
}

func (x values) encodeAll(q sqlstore.Asked) (stmt, error) {
	s := stmt{text: q.Query, params: make([][]byte, len(q.Args)), formats: make([]int16, len(q.Args))}
	for i, v := range q.Args {
		var err error
		if s.params[i], s.formats[i], err = x.param(v); err != nil {
			return s, fmt.Errorf("parameter %d: %w", i+1, err)
		}
	}
	return s, nil
}

// param makes one parameter ready to travel. A statement names the type of a list, as in
// $1::bigint[].
func (x values) param(v any) (b []byte, format int16, err error) {
	list := func(oid uint32) ([]byte, int16, error) {
		b, err := x.types.Encode(oid, pgtype.BinaryFormatCode, v, []byte{})
		return b, pgtype.BinaryFormatCode, err
	}
	switch v := v.(type) {
	case nil:
		return nil, pgtype.TextFormatCode, nil
	case string:
		return []byte(v), pgtype.TextFormatCode, nil
	case int64:
		return strconv.AppendInt(nil, v, 10), pgtype.TextFormatCode, nil
	case int:
		return strconv.AppendInt(nil, int64(v), 10), pgtype.TextFormatCode, nil
	case bool:
		return strconv.AppendBool(nil, v), pgtype.TextFormatCode, nil
	case float64:
		return strconv.AppendFloat(nil, v, 'g', -1, 64), pgtype.TextFormatCode, nil
	case []byte:
		if v == nil {
			return nil, pgtype.TextFormatCode, nil
		}
		return append([]byte{}, v...), pgtype.BinaryFormatCode, nil
	case []string:
		return list(pgtype.TextArrayOID)
	case []int64:
		return list(pgtype.Int8ArrayOID)
	case [][]byte:
		return list(pgtype.ByteaArrayOID)
	}
	return nil, 0, fmt.Errorf("no parameter can be of type %T", v)
}
