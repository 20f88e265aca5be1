package redact

import (
	"slices"
	"strings"
)

// vendors are vendors' tokens of one kind, known by their prefixes.
type vendors struct {
	kind     string
	least    int // characters behind the prefix
	chars    alphabet
	prefixes string
}

// tokens are the prefixes that vendors publish for their tokens, how many
// characters follow at least, and which.
var tokens = []vendors{
	{"aws-key", 16, upperDigit, "AKIA ABIA ACCA ASIA"},
	{"google-key", 30, wordy, "AIza"},
	{"google-token", 20, dotted, "ya29."},
	{"github-token", 20, alnum, "ghp_ gho_ ghu_ ghs_ ghr_"},
	{"github-token", 20, wordy, "github_pat_"},
	{"gitlab-token", 16, wordy, "glpat- gldt- glrt- glptt- glcbt- glft- glsoat- glagent- gloas-"},
	{"google-secret", 20, wordy, "GOCSPX-"},
	{"shopify-token", 32, hex, "shpat_ shpca_ shppa_ shpss_ shpua_ shpsb_"},
	{"docker-token", 20, wordy, "dckr_pat_"},
	{"linear-key", 30, alnum, "lin_api_ lin_oauth_"},
	{"figma-token", 30, wordy, "figd_ figo_"},
	{"netlify-token", 30, alnum, "nfp_"},
	{"rubygems-key", 40, hex, "rubygems_"},
	{"supabase-token", 40, hex, "sbp_"},
	{"planetscale-password", 30, wordy, "pscale_pw_"},
	{"planetscale-token", 30, wordy, "pscale_tkn_ pscale_oauth_"},
	{"notion-token", 40, alnum, "ntn_"},
	{"groq-key", 40, alnum, "gsk_"},
	{"xai-key", 60, alnum, "xai-"},
	{"perplexity-key", 40, alnum, "pplx-"},
	{"replicate-token", 35, alnum, "r8_"},
	{"databricks-token", 32, hex, "dapi"},
	{"atlassian-token", 60, base64ish, "ATATT3"},
	{"square-token", 20, wordy, "sq0atp-"},
	{"square-secret", 40, wordy, "sq0csp-"},
	{"slack-token", 20, wordy, "xapp-"},
	{"openrouter-key", 60, hex, "sk-or-v1-"},
	{"openai-key", 20, wordy, "sk-svcacct- sk-admin-"},
	{"vault-token", 20, wordy, "hvb. hvs. hvr."},
	{"grafana-token", 30, wordy, "glsa_"},
	{"tailscale-key", 16, wordy, "tskey-auth-"},
	{"slack-token", 10, wordy, "xoxb- xoxa- xoxp- xoxr- xoxs- xoxe- xoxc- xoxd-"},
	{"stripe-key", 10, wordy, "sk_live_ sk_test_ rk_live_ rk_test_ rk_prod_"},
	{"stripe-key", 20, base64ish, "whsec_"},
	{"anthropic-key", 16, wordy, "sk-ant-"},
	{"openai-key", 16, wordy, "sk-proj-"},
	{"openai-key", 32, alnum, "sk-"},
	{"npm-token", 30, alnum, "npm_"},
	{"pypi-token", 40, wordy, "pypi-"},
	{"huggingface-token", 30, alnum, "hf_"},
	{"sendgrid-key", 40, dotted, "SG."},
	{"digitalocean-token", 40, hex, "dop_v1_ doo_v1_ dor_v1_"},
	{"age-key", 40, upperDigit, "AGE-SECRET-KEY-1"},
	{"slack-token", 20, dotted, "xoxe."},
	{"gitlab-token", 20, wordy, "GR1348941"},
	{"newrelic-key", 27, upperDigit, "NRAK-"},
	{"newrelic-key", 19, alnum, "NRJS-"},
	{"newrelic-key", 32, wordy, "NRII-"},
	{"notion-token", 43, alnum, "secret_"},
	{"doppler-token", 40, alnum, "dp.pt. dp.ct. dp.sa."},
	{"doppler-token", 40, dotted, "dp.st."},
	{"postman-key", 50, wordy, "PMAK-"},
	{"sentry-token", 60, base64ish, "sntrys_"},
	{"sentry-token", 60, hex, "sntryu_"},
	{"tailscale-key", 20, wordy, "tskey-"},
	{"pulumi-token", 40, hex, "pul-"},
	{"langsmith-key", 32, wordy, "lsv2_pt_ lsv2_sk_"},
	{"buildkite-token", 40, hex, "bkua_"},
	{"circleci-token", 40, wordy, "CCIPAT_ CCIPRJ_"},
	{"mailgun-key", 32, exactHex, "key-"},
	{"brevo-key", 64, wordy, "xkeysib- xsmtpsib-"},
	{"easypost-key", 54, alnum, "EZAK EZTK"},
	{"dynatrace-token", 60, dotted, "dt0c01. dt0s16."},
	{"fly-token", 60, base64ish, "fm1_ fm2_"},
	{"fly-token", 40, wordy, "fo1_"},
	{"artifactory-key", 60, alnum, "AKCp"},
	{"artifactory-token", 50, alnum, "cmVmdGtuO"},
	{"crates-token", 32, exactAlnum, "cio"},
	{"nuget-key", 43, exactAlnum, "oy2"},
	{"mapbox-token", 40, dotted, "sk.eyJ"},
	{"square-token", 55, wordy, "EAAAE EAAAl"},
	{"grafana-token", 40, base64ish, "glc_"},
	{"nvidia-key", 50, wordy, "nvapi-"},
	{"tavily-key", 24, wordy, "tvly-"},
	{"pinecone-key", 40, wordy, "pcsk_"},
	{"e2b-key", 40, hex, "e2b_"},
	{"firecrawl-key", 32, exactHex, "fc-"},
	{"render-key", 28, alnum, "rnd_"},
	{"resend-key", 28, wordy, "re_"},
	{"posthog-key", 40, alnum, "phx_ phc_"},
	{"supabase-token", 20, wordy, "sb_secret_"},
	{"context7-key", 30, wordy, "ctx7sk-"},
	{"vercel-token", 40, alnum, "vcp_"},
	{"hubspot-token", 30, wordy, "hapi_"},
	{"hubspot-token", 36, wordy, "pat-na1- pat-eu1-"},
	{"sourcegraph-token", 40, wordy, "sgp_"},
	{"wandb-key", 40, wordy, "wandb_v1_"},
	{"bitbucket-token", 28, exactAlnum, "ATBB"},
	{"bitbucket-token", 60, base64ish, "ATCTT3"},
	{"panther-token", 32, wordy, "p8e-"},
	{"onepassword-token", 60, base64ish, "ops_eyJ"},
	{"twilio-key", 32, exactHex, "SK"},
	{"jwt", 20, dotted, "eyJ"},
}

// exact are the kinds whose tokens have one length, because their prefix alone
// says little.
var exact = []string{"mailgun-key", "crates-token", "nuget-key", "firecrawl-key", "twilio-key", "bitbucket-token"}

type webhook struct{ host, path, kind string }

// webhooks are addresses whose path is the secret.
var webhooks = []webhook{
	{"hooks.slack.com", "/services/", "slack-webhook"},
	{"hooks.slack.com", "/workflows/", "slack-webhook"},
	{"hooks.slack.com", "/triggers/", "slack-webhook"},
	{"discord.com", "/api/webhooks/", "discord-webhook"},
	{"discordapp.com", "/api/webhooks/", "discord-webhook"},
	{".discord.com", "/api/webhooks/", "discord-webhook"},
	{"outlook.office.com", "/webhook/", "teams-webhook"},
	{".webhook.office.com", "/webhookb2/", "teams-webhook"},
	{"hooks.zapier.com", "/hooks/catch/", "zapier-webhook"},
	{"hook.integromat.com", "/", "make-webhook"},
	{".hook.make.com", "/", "make-webhook"},
	{"open.feishu.cn", "/open-apis/bot/v2/hook/", "feishu-webhook"},
}

// ofVendor tells whether a kind is a vendor's.
func ofVendor(kind string) bool {
	return strings.HasSuffix(kind, "-token") ||
		slices.ContainsFunc(tokens, func(v vendors) bool { return v.kind == kind }) ||
		slices.ContainsFunc(webhooks, func(h webhook) bool { return h.kind == kind })
}
