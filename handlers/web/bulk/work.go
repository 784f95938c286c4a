package bulk

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/replay"
	"debitdesk/models/task"
)

// Kind is the kind of tasks that do an act with many rows.
const Kind = "bulk"

// order is what such a task was asked for: the act, and each row as it was rehearsed.
type order struct {
	Act       string     `json:"act"`
	List      string     `json:"list"`
	Selection uuid.UUID  `json:"selection"`
	In        url.Values `json:"in,omitempty"`
	Rows      []Row      `json:"rows"`
}

// progress is where such a task goes on.
type progress struct {
	Next int       `json:"next"`
	Made time.Time `json:"made"`
}

// stepRows is how many rows one step does.
const stepRows = 25

// Begin implements task.Worker.
func (h *Bulk) Begin() task.Run { return &run{bulk: h} }

// run does the rows of one task in this process.
type run struct {
	bulk  *Bulk
	order order
	read  bool
}

// Close implements task.Run.
func (r *run) Close() {}

// Step implements task.Run: it does the next rows. A row is done in the transaction of its use case, which keeps that
// it was done; so a step that is repeated does nothing twice.
func (r *run) Step(ctx context.Context, t *task.Task, who actor.Actor) (piece task.Piece, err error) {
	if !r.read {
		if err := json.Unmarshal(t.Input, &r.order); err != nil {
			return piece, err
		}
		r.read = true
	}
	var at progress
	if err := json.Unmarshal(t.Position, &at); err != nil {
		return piece, err
	}
	act, known := r.bulk.Acts.find(r.order.List, r.order.Act)
	if !known {
		return piece, fault.New(fault.Conflict, "invalid_choice", "This action is no longer available.")
	}
	file, err := kit.OpenTaskFile(r.bulk.Desk, t, r.order.List+" "+act.Key, resultHeads, &at.Made, at.Next > 0)
	if err != nil {
		return piece, err
	}
	defer file.Release()
	part := r.order.Rows[at.Next:min(at.Next+stepRows, len(r.order.Rows))]
	results, err := r.do(ctx, who, act, part, t.Tries)
	if err != nil {
		return piece, err
	}
	for _, one := range results {
		if err := file.Row(one.cells()); err != nil {
			return piece, err
		}
		if one.row.Why == "" { // what was left out in the rehearsal was never to be done
			if t.Done++; one.why != "" {
				t.Failed++
			}
		}
	}
	at.Next += len(part)
	if piece.More = at.Next < len(r.order.Rows); !piece.More {
		t.Note = act.result(t.Done, t.Failed)
	}
	return piece, file.End(t, &piece, at)
}

// result says what came of an act.
func (a Act) result(done, failed int64) string {
	text := a.Done(a.many(done-failed)) + "."
	if failed > 0 {
		text += " " + words.Capital(a.many(failed)) + " " + plural.Was(failed) + " not: the file says why."
	}
	return text
}

// outcome is what became of one row; without a reason it was done.
type outcome struct {
	row, now Row // as rehearsed, and as it stands
	why      string
}

var resultHeads = []export.Head{{Text: "Row", Width: 24}, {Text: "Client", Width: 28}, {Text: "Amount", Width: 13},
	{Text: "Debit on", Width: 12}, {Text: "Result", Width: 10}, {Text: "Reason", Width: 60}, {Text: "Id", Width: 38}}

func (o outcome) cells() []export.Cell {
	result := "done"
	if o.why != "" {
		result = "not done"
	}
	day := export.Cell{}
	if !o.row.On.IsZero() {
		day = export.Day(o.row.On)
	}
	return []export.Cell{kit.TextCell(o.now.Name), kit.TextCell(o.now.Second), export.Amount(o.row.Cents), day,
		export.Text(result), kit.TextCell(o.why), export.Text(o.row.ID.String())}
}

// laterTry is from which try on a row that fails for a reason of ours is left, so that the others are done.
const laterTry = 2

// do does some rows, each once.
func (r *run) do(ctx context.Context, who actor.Actor, act Act, part []Row, tries int) ([]outcome, error) {
	ids := make([]uuid.UUID, len(part))
	for i, row := range part {
		ids[i] = row.ID
	}
	now, err := act.Begin(r.order.In)(ctx, who, ids)
	if err != nil {
		return nil, err
	}
	out := make([]outcome, len(part))
	for i, fresh := range inOrder(ids, now) {
		row := part[i]
		out[i] = outcome{row: row, now: fresh, why: row.Why}
		if row.Why != "" {
			continue
		}
		err := r.one(ctx, who, act, row, fresh)
		f, refused := fault.From(err)
		switch {
		case err == nil:
		case refused && f.Kind != fault.Internal:
			out[i].why = words.Capital(f.Words())
		case ctx.Err() != nil || database.Unavailable(err) || tries < laterTry:
			return nil, err
		default:
			r.bulk.Failed(ctx, row.ID, err)
			out[i].why = "This failed because of a problem on our side. It was not done."
		}
	}
	return out, nil
}

// one does a row, if it still is what was rehearsed. Its use case keeps that it was done in the same transaction.
func (r *run) one(ctx context.Context, who actor.Actor, act Act, row, fresh Row) error {
	sum := sha256.Sum256([]byte(r.order.Act + "\x00" + r.order.In.Encode()))
	key := replay.Key{MerchantID: who.MerchantID, IsTest: r.bulk.Desk.Sandbox, Fingerprint: sum[:],
		Key: "bulk:" + r.order.Selection.String() + ":" + r.order.Act + ":" + row.ID.String()}
	row.Once = uuid.NewSHA1(r.order.Selection, []byte(r.order.Act+"\x00"+r.order.In.Encode()+"\x00"+row.ID.String()))
	done := ""
	return kit.OnceKeyed(ctx, r.bulk.Desk.Replays, key, func(ctx context.Context) (any, error) {
		switch {
		case fresh.Settled:
			return nil, nil
		case fresh.Why != "":
			return nil, fault.New(fault.Conflict, "conflict", "%s", fresh.Why)
		case !row.same(fresh):
			return nil, fault.New(fault.Conflict, "conflict", "It changed after the rehearsal. Look at it, and try again.")
		}
		return nil, act.Do(ctx, who, row, r.order.In)
	}, func(any) string { return http.StatusText(http.StatusOK) }, &done)
}
