package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/migrations"
	"debitdesk/models/actor"
	"debitdesk/models/audit/anchor"
	"debitdesk/models/audit/trail"
	"debitdesk/models/database/postgres"
	"debitdesk/models/installation"
	"debitdesk/models/keyfile"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
	"debitdesk/models/upkeep"
)

// database opens it as it is. Everything behind it is left out when that fails.
func (e *examination) database(ctx context.Context, io streams) {
	if e.found(bad, "key file") {
		e.say(warning, "database", "fix the key file first", "was not checked")
		return
	}
	if e.c.Embedded() && !postgres.Exists(e.c.Data) {
		e.say(fine, "database", "", "embedded; it will be made at the first start")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 3*doctorTime)
	defer cancel()
	app, err := Open(ctx, e.c, opening{log: commandLog(e.c, io), maxConns: 2, asItIs: true})
	if err != nil {
		fix := "check DATABASE_URL and that the server runs"
		if e.c.Embedded() {
			fix = "read the last lines of the server's log in the data folder, postgres/server.log"
		}
		e.say(bad, "database", fix, "cannot be opened, so nothing inside it was checked: %v", err)
		return
	}
	var version string
	var writable bool
	if err := app.Store.Pool.QueryRow(
		ctx,
		`SELECT current_setting('server_version'), NOT pg_is_in_recovery()
			AND current_setting('transaction_read_only') = 'off'`,
	).Scan(&version, &writable); err != nil {
		e.say(bad, "database", "", "does not answer: %v", err)
		_ = app.Close()
		return
	}
	e.app = app
	where := "DATABASE_URL"
	if e.c.Embedded() {
		where = "embedded"
	}
	if !writable {
		e.say(bad, "database", "point DATABASE_URL at the primary", "PostgreSQL %s (%s) is read-only", version, where)
		return
	}
	if app.Store.Pooler {
		where += " behind a pooler"
		if e.c.DirectURL != "" {
			where += "; DATABASE_DIRECT_URL leads around it"
		}
	}
	e.say(fine, "database", "", "PostgreSQL %s, %s", version, where)
	e.standby()
}

// standby tells how the copy is that reports, exports and searches are read from.
func (e *examination) standby() {
	standby := e.app.Store.Standby
	if standby == nil {
		return
	}
	st := standby.State()
	if st.Why != "" {
		e.say(warning, "standby", "check DATABASE_READ_URL and that the standby follows; until then the primary answers",
			"%s", st.Why)
		return
	}
	e.say(fine, "standby", "", "%s behind; it answers reports, exports and searches", st.Lag.Round(time.Millisecond))
}

func (e *examination) inside(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 3*doctorTime)
	defer cancel()
	if _, _, err := e.app.tools(ctx); err != nil {
		e.say(warning, "backup", "", "%v", err)
	} else {
		e.say(fine, "backup", "", "pg_dump and pg_restore fit the server")
	}
	if !e.schema(ctx) {
		return
	}
	e.admin(ctx)
	e.clock(ctx)
	e.usedKeys(ctx)
	e.chain(ctx)
	e.work(ctx)
	e.exchange(ctx)
	e.figures(ctx)
	if demo, err := (merchant.Store{DB: e.app.Store}).HasDemo(ctx); err == nil && demo && !e.c.Sandbox() {
		e.say(bad, "demo", "use a database of its own for live mode", "there is a demo merchant in the database")
	}
}

// schema tells whether the rest can be asked for.
func (e *examination) schema(ctx context.Context) bool {
	steps, behind, err := migrations.Status(ctx, e.app.Store.Pool.Pool)
	switch {
	case err != nil:
		e.say(bad, "migrations", "", "%v", err)
		return false
	case behind && e.c.Embedded():
		e.say(warning, "migrations", "serve updates the embedded database when it starts", "%s", missingSteps(steps))
		return false
	case behind:
		e.say(bad, "migrations", "debitdesk migrate up, or serve --migrate", "%s", missingSteps(steps))
		return false
	}
	e.say(fine, "migrations", "", "%s, none missing", plural.Of(len(steps), "step"))
	return true
}

// admin tells whether anybody can run a business here.
func (e *examination) admin(ctx context.Context) {
	has, err := installation.Store{DB: e.app.Store}.AnyAdmin(ctx)
	switch {
	case err != nil:
		e.say(bad, "admin", "", "%v", err)
	case !has:
		e.say(warning, "admin", "open the link that serve prints at its start; debitdesk user first prints a new one",
			"no admin exists yet, so no person can run a business here")
	default:
		e.say(fine, "admin", "", "an admin can sign in")
	}
}

// skew is how far the machine may be from the database, either way.
const skew = 2 * time.Second

func (e *examination) clock(ctx context.Context) {
	var there time.Time
	var offset int64
	before := time.Now()
	err := e.app.Store.Pool.QueryRow(ctx, `SELECT clock_timestamp(), (SELECT offset_micros FROM sandbox_clock)`).Scan(
		&there, &offset)
	if err != nil {
		e.say(bad, "clock", "", "%v", err)
		return
	}
	took := time.Since(before)
	apart := there.Sub(before.Add(took / 2)).Abs()
	state, fix := fine, ""
	if apart > skew+took {
		state, fix = bad, "let both take their time from NTP"
	}
	moved := ""
	if ahead := time.Duration(offset) * time.Microsecond; ahead >= time.Second && e.c.Sandbox() {
		moved = "; the sandbox clock is " + ahead.Round(time.Second).String() + " ahead"
	}
	e.say(state, "clock", fix, "machine and database are %s apart%s", apart.Round(time.Millisecond), moved)
}

func (e *examination) usedKeys(ctx context.Context) {
	used, err := upkeep.Store{DB: e.app.Store}.KeysInUse(ctx)
	if err != nil {
		e.say(bad, "keys", "", "%v", err)
		return
	}
	var missing []string
	for id := range used {
		if !slices.ContainsFunc(e.app.Keys.Sealing, keyIs(id)) {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		e.say(bad, "keys", "restore them in "+keyfile.Path(e.c.Keys, e.c.Data)+" from a copy of that time",
			"%s sealed rows and is not in the key file: those rows cannot be read", strings.Join(missing, ", "))
		return
	}
	rotations, err := upkeep.Store{DB: e.app.Store}.Rotations(ctx)
	if err != nil {
		e.say(bad, "keys", "", "%v", err)
		return
	}
	for _, r := range rotations {
		if !r.Finished {
			e.say(warning, "keys", "it continues while a server runs; see debitdesk keys status",
				"a rotation to %s is under way, %s checked", r.KeyID, plural.Of(r.Done, "row"))
			return
		}
	}
	left, err := upkeep.Store{DB: e.app.Store}.NotResealed(ctx)
	if err != nil {
		e.say(bad, "keys", "", "%v", err)
		return
	}
	if len(left) > 0 {
		e.say(warning, "keys", "restore them from a backup, and rotate again; until then keep the old keys",
			"%s could not be re-sealed: damaged, or their key is missing", left.In())
		return
	}
	e.say(fine, "keys", "", "all %d in use are in the key file", len(used))
}

// Ages from which work counts as late, and as stuck.
const (
	lateWork  = 5 * time.Minute
	stuckWork = time.Hour
)

func (e *examination) work(ctx context.Context) {
	v, err := upkeep.Store{DB: e.app.Store}.Vitals(ctx)
	if err != nil {
		e.say(bad, "work", "", "%v", err)
		return
	}
	e.age("queue", v.QueueLag, "a job", "is a serve or work process running? See its log")
	e.age("collections", v.OverdueAge, "a collection for the bank", "is a serve or work process running? See its log")
	e.age("outbox", v.OutboxAge, "a mail", "see the relay, and Sandbox → Mail or the log for the error")
	e.age("webhooks", v.WebhookAge, "a delivery", "see Developers → Webhooks for the receiver's answers")
	left := v.MaxConnections - v.Connections
	state, fix := fine, ""
	if left < v.MaxConnections/10 {
		state, fix = warning, "raise max_connections, or run fewer processes"
	}
	e.say(state, "connections", fix, "%d of %d are left", left, v.MaxConnections)
}

func (e *examination) age(name string, waits time.Duration, what, fix string) {
	switch {
	case waits > stuckWork:
		e.say(bad, name, fix, "%s has been waiting for %s", what, waits.Round(time.Second))
	case waits > lateWork:
		e.say(warning, name, fix, "%s has been waiting for %s", what, waits.Round(time.Second))
	case waits > 0:
		e.say(fine, name, "", "the oldest has been waiting for %s", waits.Round(time.Second))
	default:
		e.say(fine, name, "", "nothing is waiting")
	}
}

// mostUnlinked is more than a busy second leaves behind.
const mostUnlinked = 10_000

func (e *examination) chain(ctx context.Context) {
	v, err := upkeep.Store{DB: e.app.Store}.Vitals(ctx)
	if err != nil {
		e.say(bad, "audit", "", "%v", err)
		return
	}
	if v.Unlinked > mostUnlinked {
		e.say(warning, "audit", "is a serve or work process running? It links them every second",
			"%s %s not in the chain yet", plural.Of(v.Unlinked, "entry"), plural.Is(v.Unlinked))
		return
	}
	audits := e.app.auditService()
	alarms, err := audits.Alarms(ctx, actor.OperatorOf(uuid.Nil))
	if err != nil {
		e.say(bad, "audit", "", "%v", err)
		return
	}
	if len(alarms) > 0 {
		e.say(bad, "audit", auditFix, "the chain of merchant %s does not hold: %s", alarms[0].MerchantID, alarms[0].Why)
		return
	}
	heads, wrong, err := e.heads(ctx, audits)
	if err != nil {
		e.say(bad, "audit", "", "%v", err)
		return
	}
	if wrong != "" {
		e.say(bad, "audit", auditFix, "%s", wrong)
		return
	}
	e.anchors(audits, heads, v.Unlinked)
}

const auditFix = "debitdesk audit verify says more; once you know the cause, run debitdesk audit accept"

// anchors tells what is noted of the chains outside of the database.
func (e *examination) anchors(k *trail.Service, heads int, unlinked int64) {
	noted, damaged := k.Anchors.Count()
	switch {
	case damaged > 0:
		e.say(warning, "audit", "look at "+anchor.Name+" in the data folder",
			"%s of the noted heads %s damaged or not signed with a key of the key file", plural.Of(damaged, "line"),
			plural.Is(damaged))
	case heads > 0 && noted == 0:
		e.say(warning, "audit", "serve and work note them in "+anchor.Name+
			" in the data folder; where they ran on another machine, look there",
			"%s with a signed head, none noted outside the database on this machine", plural.Of(heads, "chain"))
	default:
		e.say(fine, "audit", "", "%s with a signed head, %d noted outside the database, %s to link",
			plural.Of(heads, "chain"), noted, plural.Of(unlinked, "entry"))
	}
}

// heads checks the end of each chain; the walk over all links is audit verify.
func (e *examination) heads(ctx context.Context, k *trail.Service) (n int, wrong string, err error) {
	owners, err := k.Store.ChainOwners(ctx)
	if err != nil {
		return 0, "", err
	}
	for _, id := range owners {
		links, why, err := k.CheckHead(ctx, id)
		if err != nil {
			return n, "", err
		}
		if why != "" {
			return n, "merchant " + id.String() + ": " + why, nil
		}
		if links > 0 {
			n++
		}
	}
	return n, "", nil
}

// exchange tells what is open with the bank: files that were not taken or acknowledged, and findings.
func (e *examination) exchange(ctx context.Context) {
	if e.c.bankDirectory() == "" {
		return
	}
	var made, placed, taken, findings, nobodys int
	err := e.app.Store.Pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE state = 'made'),
		count(*) FILTER (WHERE state = 'placed'),
		count(*) FILTER (WHERE state = 'taken'), (SELECT count(*) FROM bank_findings WHERE closed_at IS NULL),
		(SELECT count(*) FROM bank_findings WHERE closed_at IS NULL AND merchant_id IS NULL)
		FROM bank_files_out WHERE state IN ('made', 'placed', 'taken')`).
		Scan(&made, &placed, &taken, &findings, &nobodys)
	switch {
	case err != nil:
		e.say(bad, "bank files", "", "%v", err)
	case nobodys > 0:
		e.say(warning, "bank files", "debitdesk bank findings says what is the matter with each, and settles it",
			"%s of no business open, of %d in all; %d made, %d waiting to be taken, %d not acknowledged",
			plural.Of(nobodys, "finding"), findings, made, placed, taken)
	case findings > 0:
		e.say(warning, "bank files", "look at Bank files in the dashboard",
			"%s open; %d made, %d waiting to be taken, %d not acknowledged", plural.Of(findings, "finding"), made, placed, taken)
	default:
		e.say(fine, "bank files", "", "%d made, %d waiting to be taken, %d not acknowledged", made, placed, taken)
	}
}

// figuresTime is how long comparing every figure with the facts may take.
const figuresTime = 5 * time.Minute

func (e *examination) figures(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), figuresTime)
	defer cancel()
	wrong, err := upkeep.Store{DB: e.app.Store}.WrongFigures(ctx)
	switch {
	case err != nil:
		e.say(bad, "figures", "", "%v", err)
	case len(wrong) > 0:
		e.say(bad, "figures", "debitdesk figures rebuild computes them anew, while servers run",
			"%s from the facts: %s", differing(len(wrong)), wrong[0])
	default:
		e.say(fine, "figures", "", "sums, attention and bank days agree with the facts")
	}
}
