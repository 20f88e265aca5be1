package postgres

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/piton-project/piton"
)

// address reads a DSN. shown names the place without the password and without
// anything that could hold one.
func address(dsn string, o Options) (cfg *pgx.ConnConfig, shown string, err error) {
	cfg, err = pgx.ParseConfig(dsn)
	if err != nil {
		// The parser's own words quote the address, and where a malformed one
		// hides its password nobody can say.
		return nil, "", piton.Errorf(piton.Invalid, "open the store",
			"write it as postgres://user@host:5432/database, with a password's special characters as %XX, or give the password in PGPASSWORD or ~/.pgpass",
			"the address of the PostgreSQL store cannot be read")
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = o.connect()
	}
	// A server that has gone without a word is noticed within half a minute.
	dialer := net.Dialer{Timeout: cfg.ConnectTimeout, Control: unanswered,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAlive, Interval: keepAlive / 3, Count: 3}}
	cfg.DialFunc = dialer.DialContext
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "piton"
	}
	return cfg, show(cfg), nil
}

// Shown is a DSN as it may be printed: without the password, wherever it
// stands in it. "" where it cannot be read.
func Shown(dsn string) string {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return ""
	}
	return show(cfg)
}

// show is an address to print.
func show(cfg *pgx.ConnConfig) string {
	u := url.URL{Scheme: "postgres", Path: "/" + cfg.Database}
	if cfg.User != "" {
		u.User = url.User(cfg.User)
	}
	if strings.HasPrefix(cfg.Host, "/") {
		return u.String() + "?host=" + cfg.Host
	}
	u.Host = net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port)))
	return u.String()
}
