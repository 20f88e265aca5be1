package plan

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/cron"
)

// maxTimes bounds the times of a schedule.
const maxTimes = 20

const noSchedule = "a plan is begun by 'piton run', and at the times of its 'schedule' once a person has said 'piton runs schedule add PLAN'"

var scheduleKeys = keys{
	what: "a schedule",
	list: []key{
		{"cron", nil, form{kinds: []string{isText, isList}, more: `"items": {"type": "string"}, "examples": ["0 2 * * *", "@daily"]`}, "when: five fields (minute, hour, day of the month, month, day of the week), a word as `@daily`, or a list of these; required"},
		{"timezone", too("tz", "time_zone", "timeZone"), aText.and(`"examples": ["Europe/Rome", "UTC"]`), "whose clock; that of the machine on which it is added, where nothing is said"},
		{"overlap", too("overlap_policy", "overlapPolicy", "concurrency_policy", "concurrencyPolicy"), anOverlap.and(`"default": "skip"`), "what becomes of a time at which the last run is at work: `skip` (the default) leaves it out, `queue` waits for its turn, `allow` runs beside it, `cancel` ends that one first. Kubernetes' and Temporal's words are read too"},
		{"catch_up", too("catchUp", "catchup"), aCatchUp, "what becomes of times at which no daemon ran: `none` of them, `one` (the default), the last, or `all`, one after the other, are made good"},
		{"within", too("catch_up_window", "catchup_window", "catchUpWindow", "catchupWindow", "starting_deadline_seconds", "startingDeadlineSeconds"), aTime, "how old a time may be to be made good; 24h"},
	},
	refused: map[string]string{
		"every": everyCron, "interval": everyCron, "intervals": everyCron, "start": "write 'cron'", "stop": "write budget: {time: …} at the plan", "restart": "write 'cron', with overlap: cancel",
		"suspend": "'piton runs schedule pause NAME' pauses it", "paused": "'piton runs schedule pause NAME' pauses it", "jitter": "write another minute",
	},
}

const everyCron = "write the minutes in 'cron', as in */15 * * * *"

// zoned is a cron expression that begins with its time zone.
var zoned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:CRON_)?TZ=(\S+)\s+(.*)$`) })

// Policies in the words of other programs.
var (
	overlapsElsewhere = map[string]string{
		"Forbid": "skip", "Skip": "skip", "Replace": "cancel", "CancelOther": "cancel", "Allow": "allow", "AllowAll": "allow", "BufferAll": "queue", "all": "queue",
	}
	catchUps = map[string]piton.CatchUp{"none": piton.CatchUpNone, "one": piton.CatchUpOne, "all": piton.CatchUpAll, "true": piton.CatchUpAll, "false": piton.CatchUpNone}
)

// schedule reads when a plan proposes to be run; also where GitHub has it. nil: it says
// nothing of that.
func (r *reader) schedule(f map[string]field) *Schedule {
	p, own := f["schedule"]
	if on, ok := f["on"]; ok && on.value.get("schedule") != nil {
		if own {
			r.add(on.line, "the schedule stands here and under 'schedule'; write it once")
		}
		p.pair = pair{"schedule", on.line, on.value.get("schedule")}
	}
	if p.none() {
		return nil
	}
	s := &Schedule{}
	for _, n := range p.value.list() {
		if n.kind == isText {
			n = objectNode(n.line, pair{"cron", n.line, n})
		}
		r.scheduled(s, n)
	}
	if len(s.Times) == 0 && len(r.slips.list) == 0 {
		r.add(p.line, "the schedule names no times; write 'cron'")
	}
	if len(s.Times) > maxTimes {
		r.add(p.line, "a schedule has at most %d times", maxTimes)
	}
	return s
}

// scheduled reads one part of a schedule. Policies are those of the whole of it.
func (r *reader) scheduled(s *Schedule, n *node) {
	f := r.fields(n, scheduleKeys)
	zone := r.text(f["timezone"])
	if m := zoned().FindStringSubmatch(f["cron"].text()); m != nil && zone == "" {
		zone, f["cron"].value.text = m[1], m[2]
	}
	if known := len(f) == len(n.pairs); f["cron"].none() && n.kind == isObject && known {
		r.add(n.line, "a schedule wants 'cron', as in cron: '0 2 * * *'")
	}
	for _, text := range r.names(f["cron"]) {
		if _, err := cron.Parse(text, cmp.Or(zone, "UTC")); err != nil {
			r.add(f["cron"].line, "cron: %v", err)
		}
		s.Times = append(s.Times, piton.CronTime{Cron: strings.TrimSpace(text), Timezone: zone})
	}
	overlap := r.one(f["overlap"])
	said := r.text(f["catch_up"])
	catchUp, ok := catchUps[said]
	if said != "" && !ok {
		r.add(f["catch_up"].line, "catch_up is %s; there are none, one and all", quoted(said))
	}
	within := r.duration(f["within"])
	once(r, f["overlap"], &s.Overlap, piton.Overlap(cmp.Or(overlapsElsewhere[overlap], overlap)))
	once(r, f["catch_up"], &s.CatchUp, catchUp)
	once(r, f["within"], &s.Within, within)
}

// once keeps what one part says for the whole, and reports another part that says otherwise.
func once[T comparable](r *reader, p field, kept *T, said T) {
	var none T
	switch {
	case said == none:
	case *kept != none && *kept != said:
		r.add(p.line, "%s holds for the whole schedule, and an earlier part says otherwise; add them as schedules of their own", quoted(p.name))
	default:
		*kept = said
	}
}

// startedBy tells whether what stands under GitHub's 'on' is the inputs and the schedule.
func startedBy(on *node) bool {
	if len(on.pairs) == 0 {
		return on.text == "workflow_dispatch"
	}
	return !slices.ContainsFunc(on.pairs, func(p pair) bool { return p.name != "workflow_dispatch" && p.name != "schedule" })
}
