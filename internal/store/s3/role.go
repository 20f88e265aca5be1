package s3

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Where machines and containers of Amazon's are told their keys.
const (
	machineHost   = "http://169.254.169.254"
	containerHost = "http://169.254.170.2"
)

// rolePatience is how long each of these may take: on other machines nobody answers.
const rolePatience = 2 * time.Second

// ofRole asks for the keys of the role that this machine, container or pod has. Where
// none is named and no machine of Amazon's answers, there are no keys.
func ofRole(ctx context.Context) (aws.Credentials, error) {
	switch file, relative, full := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE"), os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"), os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI"); {
	case file != "":
		return ofToken(ctx, file)
	case relative != "":
		return ofContainer(ctx, containerHost+relative)
	case full != "":
		if os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") == "" && !onThisMachine(full) {
			return aws.Credentials{}, errors.New("AWS_CONTAINER_CREDENTIALS_FULL_URI is not on this machine")
		}
		return ofContainer(ctx, full)
	}
	keys, err := ofMachine(ctx)
	if err != nil {
		return aws.Credentials{}, nil
	}
	return keys, nil
}

func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// role is how machines and containers are told their keys.
type role struct {
	AccessKeyID, SecretAccessKey, Token string
	Expiration                          time.Time
}

func (r role) keys() (aws.Credentials, error) {
	if r.AccessKeyID == "" || r.SecretAccessKey == "" {
		return aws.Credentials{}, errors.New("the role has no keys")
	}
	return aws.Credentials{AccessKeyID: r.AccessKeyID, SecretAccessKey: r.SecretAccessKey, SessionToken: r.Token, CanExpire: !r.Expiration.IsZero(), Expires: r.Expiration}, nil
}

// ofContainer asks the address that a container or a pod was given.
func ofContainer(ctx context.Context, address string) (aws.Credentials, error) {
	token := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if file := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return aws.Credentials{}, err
		}
		token = strings.TrimSpace(string(text))
	}
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", token)
	}
	text, err := fetch(ctx, http.MethodGet, address, header, "")
	if err != nil {
		return aws.Credentials{}, err
	}
	return parsed(text)
}

// ofMachine asks the service that machines of Amazon's have beside them.
func ofMachine(ctx context.Context) (aws.Credentials, error) {
	const roles = "/latest/meta-data/iam/security-credentials/"
	if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		return aws.Credentials{}, errors.New("it is not to be asked")
	}
	host := strings.TrimSuffix(cmp.Or(os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"), machineHost), "/")
	token, err := fetch(ctx, http.MethodPut, host+"/latest/api/token", http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {"21600"}}, "")
	if err != nil {
		return aws.Credentials{}, err
	}
	header := http.Header{"X-Aws-Ec2-Metadata-Token": {string(token)}}
	names, err := fetch(ctx, http.MethodGet, host+roles, header, "")
	if err != nil {
		return aws.Credentials{}, err
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(names)), "\n")
	text, err := fetch(ctx, http.MethodGet, host+roles+url.PathEscape(strings.TrimSpace(name)), header, "")
	if err != nil {
		return aws.Credentials{}, err
	}
	return parsed(text)
}

func parsed(text []byte) (aws.Credentials, error) {
	var r role
	if json.Unmarshal(text, &r) != nil { // the cause would quote a secret
		return aws.Credentials{}, errors.New("the role's keys cannot be read")
	}
	return r.keys()
}

// ofToken exchanges the token of a pod for the keys of its role.
func ofToken(ctx context.Context, file string) (aws.Credentials, error) {
	token, err := os.ReadFile(file)
	if err != nil {
		return aws.Credentials{}, err
	}
	form := url.Values{
		"Action": {"AssumeRoleWithWebIdentity"}, "Version": {"2011-06-15"}, "RoleArn": {os.Getenv("AWS_ROLE_ARN")},
		"RoleSessionName": {cmp.Or(os.Getenv("AWS_ROLE_SESSION_NAME"), "piton")}, "WebIdentityToken": {strings.TrimSpace(string(token))},
	}
	text, err := fetch(ctx, http.MethodPost, tokenService(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, form.Encode())
	if err != nil {
		return aws.Credentials{}, err
	}
	var answer struct {
		Result struct {
			Credentials struct {
				AccessKeyID     string `xml:"AccessKeyId"`
				SecretAccessKey string
				SessionToken    string
				Expiration      time.Time
			}
		} `xml:"AssumeRoleWithWebIdentityResult"`
	}
	if xml.Unmarshal(text, &answer) != nil {
		return aws.Credentials{}, errors.New("the role's keys cannot be read")
	}
	x := answer.Result.Credentials
	return role{x.AccessKeyID, x.SecretAccessKey, x.SessionToken, x.Expiration}.keys()
}

// tokenService is where tokens are exchanged.
func tokenService() string {
	region := cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	switch {
	case os.Getenv("AWS_ENDPOINT_URL_STS") != "":
		return os.Getenv("AWS_ENDPOINT_URL_STS")
	case region == "":
		return "https://sts.amazonaws.com"
	case strings.HasPrefix(region, "cn-"):
		return "https://sts." + region + ".amazonaws.com.cn"
	}
	return "https://sts." + region + ".amazonaws.com"
}

// maxRole bounds what such a service answers, in bytes.
const maxRole = 1 << 20

// fetch sends a request that needs no signature. The proxy of the environment is not
// for addresses beside the machine.
func fetch(ctx context.Context, method, address string, header http.Header, body string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, rolePatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, errors.New("the address of the role's keys cannot be used")
	}
	req.Header = header
	transport := &http.Transport{DisableKeepAlives: true}
	if strings.HasPrefix(address, "https:") {
		transport.Proxy = http.ProxyFromEnvironment
	}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		var request *url.Error
		if errors.As(err, &request) {
			err = request.Err // without the address
		}
		return nil, fmt.Errorf("the role's keys were not answered: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the role's keys were not answered: %s", res.Status)
	}
	return io.ReadAll(io.LimitReader(res.Body, maxRole))
}
