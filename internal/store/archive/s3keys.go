package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// errKeys says that keys are named and cannot be had.
var errKeys = errors.New("the keys cannot be read")

// keys are looked for in the environment, in Amazon's files, and at the role of the
// machine, container or pod, in this order. Where nothing names any, the bucket may be
// open to all.
type keys struct {
	looked bool
	from   credentials.Provider // nil: there are none
	end    time.Time            // zero: they have none
}

func (k *keys) RetrieveWithCredContext(with *credentials.CredContext) (credentials.Value, error) {
	for _, p := range []struct {
		credentials.Provider
		named func(error) bool // the error is of keys that are named
	}{
		{&credentials.EnvAWS{}, never}, {&credentials.EnvMinio{}, never},
		{&credentials.FileAWSCredentials{}, inProfile}, {role(), roleNamed},
	} {
		v, err := p.RetrieveWithCredContext(with)
		switch {
		case err != nil && p.named(err):
			return credentials.Value{}, fmt.Errorf("%w: %w", errKeys, err)
		case err == nil && v.AccessKeyID != "" && v.SecretAccessKey != "":
			k.looked, k.from, k.end = true, p.Provider, v.Expiration
			return v, nil
		}
	}
	k.looked, k.from = true, nil
	return credentials.Value{SignerType: credentials.SignatureAnonymous}, nil
}

// Retrieve is RetrieveWithCredContext.
func (k *keys) Retrieve() (credentials.Value, error) { return k.RetrieveWithCredContext(nil) }

// IsExpired tells whether the keys are to be looked for again.
func (k *keys) IsExpired() bool {
	return !k.looked || k.from != nil && !k.end.IsZero() && k.from.IsExpired()
}

func never(error) bool { return false }

// inProfile tells whether the files have the profile; its library types no error.
func inProfile(err error) bool {
	missing := errors.Is(err, fs.ErrNotExist) || strings.HasPrefix(err.Error(), "section ")
	return os.Getenv("AWS_PROFILE") != "" || !missing
}

// Variables that name a role.
const (
	podToken      = "AWS_WEB_IDENTITY_TOKEN_FILE"
	containerPath = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
	containerURL  = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
)

func roleNamed(error) bool {
	return os.Getenv(podToken)+os.Getenv(containerPath)+os.Getenv(containerURL) != ""
}

// rolePatience is how long a role's keys may take: on other machines nobody answers.
const rolePatience = 2 * time.Second

// role asks for the keys of the role that this pod, container or machine has.
func role() credentials.Provider {
	r := &credentials.IAM{Client: &http.Client{Timeout: rolePatience, Transport: &http.Transport{DisableKeepAlives: true, Proxy: beyond}}}
	switch {
	case os.Getenv(podToken) != "":
		r.Endpoint = os.Getenv("AWS_ENDPOINT_URL_STS")
	case roleNamed(nil):
	case strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true"):
		return &credentials.Static{}
	default:
		r.Endpoint = strings.TrimSuffix(os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "/")
	}
	return r
}

// beyond is the environment's proxy, which is not for addresses beside the machine.
func beyond(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme == "http" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}
