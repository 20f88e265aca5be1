package s3

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// profile is what Amazon's files say under one name.
type profile map[string]string

// ofFiles reads a profile: ~/.aws/config, and what ~/.aws/credentials says instead. A
// file that is not there says nothing.
func ofFiles(name string) (profile, error) {
	p := profile{}
	home, _ := os.UserHomeDir()
	for _, file := range []struct{ variable, name string }{{"AWS_CONFIG_FILE", "config"}, {"AWS_SHARED_CREDENTIALS_FILE", "credentials"}} {
		path := os.Getenv(file.variable)
		if path == "" {
			if home == "" {
				continue
			}
			path = filepath.Join(home, ".aws", file.name)
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.read(string(text), name)
	}
	return p, nil
}

// read adds what a text says under a name, "[NAME]" or "[profile NAME]".
func (p profile) read(text, name string) {
	ours := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			head, _, _ = strings.Cut(head, "]")
			head = strings.TrimSpace(head)
			if rest, ok := strings.CutPrefix(head, "profile "); ok {
				head = strings.TrimSpace(rest)
			}
			ours = head == name
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ours || !ok || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		for _, remark := range []string{" #", " ;", "\t#", "\t;"} {
			value, _, _ = strings.Cut(value, remark)
		}
		p[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
}

// keys are those of a profile, which may name a program that prints them; none where
// it says nothing of keys.
func (p profile) keys(ctx context.Context) (aws.Credentials, error) {
	id, secret := p["aws_access_key_id"], p["aws_secret_access_key"]
	switch {
	case id != "" && secret != "":
		return aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: p["aws_session_token"]}, nil
	case id != "" || secret != "":
		return aws.Credentials{}, errors.New("the profile has one half of a pair of keys")
	case p["credential_process"] != "":
		return printed(ctx, strings.Fields(p["credential_process"]))
	case p["sso_session"] != "" || p["sso_start_url"] != "":
		return aws.Credentials{}, errors.New("the profile signs in by SSO: give it a credential_process that prints keys, as the command 'aws configure export-credentials' does")
	}
	return aws.Credentials{}, nil
}

// processPatience is how long a program may take to print keys.
const processPatience = time.Minute

// printed runs a program that prints keys as JSON.
func printed(ctx context.Context, argv []string) (aws.Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, processPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("the profile's credential_process failed: %w", err)
	}
	var keys struct {
		ID      string    `json:"AccessKeyId"`
		Secret  string    `json:"SecretAccessKey"`
		Token   string    `json:"SessionToken"`
		Expires time.Time `json:"Expiration"`
	}
	if json.Unmarshal(out, &keys) != nil || keys.ID == "" || keys.Secret == "" { // the cause would quote a secret
		return aws.Credentials{}, errors.New("the profile's credential_process printed no keys")
	}
	return aws.Credentials{AccessKeyID: keys.ID, SecretAccessKey: keys.Secret, SessionToken: keys.Token, CanExpire: !keys.Expires.IsZero(), Expires: keys.Expires}, nil
}
