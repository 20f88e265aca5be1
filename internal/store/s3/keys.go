package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// ErrKeys says that keys are named and cannot be had.
var ErrKeys = errors.New("the keys cannot be read")

// keyring has the keys, and gets new ones before they expire.
type keyring struct {
	mu     sync.Mutex
	have   aws.Credentials
	looked bool
}

// renewal is how long before their end keys are no longer used.
const renewal = time.Minute

// get returns the keys; none where nothing names any.
func (k *keyring) get(ctx context.Context) (aws.Credentials, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.looked && (!k.have.CanExpire || time.Until(k.have.Expires) > renewal) {
		return k.have, nil
	}
	keys, err := find(ctx)
	if err != nil {
		return keys, fmt.Errorf("%w: %w", ErrKeys, err)
	}
	k.have, k.looked = keys, true
	return keys, nil
}

// find looks for keys in the environment, in Amazon's files, and at the machine's
// role, in this order.
func find(ctx context.Context) (aws.Credentials, error) {
	for _, names := range [][3]string{
		{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}, {"AWS_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN"},
		{"MINIO_ROOT_USER", "MINIO_ROOT_PASSWORD"}, {"MINIO_ACCESS_KEY", "MINIO_SECRET_KEY"},
	} {
		if id, secret := os.Getenv(names[0]), os.Getenv(names[1]); id != "" && secret != "" {
			keys := aws.Credentials{AccessKeyID: id, SecretAccessKey: secret}
			if names[2] != "" {
				keys.SessionToken = os.Getenv(names[2])
			}
			return keys, nil
		}
	}
	profile, err := ofFiles(cmp.Or(os.Getenv("AWS_PROFILE"), "default"))
	if err != nil {
		return aws.Credentials{}, err
	}
	keys, err := profile.keys(ctx)
	if err != nil || keys.AccessKeyID != "" {
		return keys, err
	}
	return ofRole(ctx)
}
