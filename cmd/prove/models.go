package prove

import (
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// notes are what was asked and answered, in the order in which it began and ended. Each thing that behaves like one
// register has a book of its own.
type notes struct {
	mu    sync.Mutex
	ticks int64
	ops   map[string]map[string][]porcupine.Operation // model → thing → operations
}

// tick is the next moment. Moments are counted, not measured.
func (n *notes) tick() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ticks++
	return n.ticks
}

// add notes an operation that began at a moment and ends now.
func (n *notes) add(lane int, model, thing string, began int64, in, out any) {
	now := n.tick()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ops == nil {
		n.ops = map[string]map[string][]porcupine.Operation{}
	}
	if n.ops[model] == nil {
		n.ops[model] = map[string][]porcupine.Operation{}
	}
	n.ops[model][thing] = append(n.ops[model][thing],
		porcupine.Operation{ClientId: lane, Input: in, Call: began, Output: out, Return: now})
}

// long is more than any history of ours needs; one that takes longer is not said to be wrong.
const long = 20 * time.Second

// check gives a sentence for each thing whose operations have no order that explains their answers.
func (n *notes) check() (wrong []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range sorted(n.ops) {
		of := registers[name]
		m := of.ToModel()
		for _, thing := range sorted(n.ops[name]) {
			ops := n.ops[name][thing]
			if porcupine.CheckOperationsTimeout(m, ops, long) == porcupine.Illegal {
				said := make([]string, len(ops))
				for i, o := range ops {
					said[i] = m.DescribeOperation(o.Input, o.Output)
				}
				wrong = append(wrong, "no order explains what was answered about "+name+" "+thing+": "+strings.Join(said, "; "))
			}
		}
	}
	return wrong
}

// result is how an operation came out.
type result string

const (
	done    result = "done"
	refused result = "refused"
	unknown result = "unknown" // it may have been done, or not
)

// asked is one operation, and given its answer.
type (
	asked struct {
		what string // the operation
		arg  string
		free bool // of a token: the bank has had its say, and may have blocked it
	}
	given struct {
		how result
		is  string // what was read, or made
	}
)

func register(init string, step func(state string, in asked, out given) []string) porcupine.NondeterministicModel {
	return porcupine.NondeterministicModel{
		Init: func() []any { return []any{init} },
		Step: func(state, in, out any) (next []any) {
			was, _ := state.(string)
			a, _ := in.(asked)
			g, _ := out.(given)
			for _, s := range step(was, a, g) {
				next = append(next, s)
			}
			return next
		},
		DescribeOperation: func(in, out any) string {
			a, _ := in.(asked)
			g, _ := out.(given)
			return strings.TrimSpace(a.what+" "+a.arg) + " → " + strings.TrimSpace(string(g.how)+" "+g.is)
		},
	}
}

// registers are the models, by what they are about. A step gives the states that may follow; none: it cannot be.
var registers = map[string]porcupine.NondeterministicModel{
	"key":      register("", keyStep),
	"token":    register("live", tokenStep),
	"purchase": register("payable", purchaseStep),
	"brand":    register("1", brandStep),
}

// keyStep: under one Idempotency-Key one body is done once, and everybody hears of the same object. The state is the
// body and the object's id, which is not known where nobody heard the answer.
func keyStep(state string, in asked, out given) []string {
	body, id, taken := strings.Cut(state, "|")
	switch {
	case out.how == unknown && !taken:
		return []string{state, in.arg + "|"}
	case out.how == unknown:
		return []string{state}
	case out.how == refused:
		return when(taken && body != in.arg, state)
	case !taken:
		return []string{in.arg + "|" + out.is}
	}
	return when(body == in.arg && (id == "" || id == out.is), in.arg+"|"+out.is)
}

// tokenStep: what is deleted is not debited any more, and is deleted once.
func tokenStep(state string, in asked, out given) []string {
	switch {
	case in.what == "delete" && out.how == done:
		return when(state == "live", "gone")
	case in.what == "delete" && out.how == unknown:
		return []string{state, "gone"}
	case in.what == "delete":
		return when(state == "gone", state)
	case out.how == unknown:
		return []string{state}
	case out.how == done: // read, or debited
		return when(state == "live", state)
	case in.free:
		return []string{state}
	}
	return when(state == "gone", state)
}

// purchaseStep: of acts on one purchase each finds what the one before it left. Only acts between two moves of the
// clock are noted; what the clock and the bank made of it comes in between as "became".
func purchaseStep(state string, in asked, out given) []string {
	to := map[string]string{"charge": "pending_charge", "cancel": "cancelled", "mark_as_paid": "paid"}
	from := map[string][]string{"charge": {"payable"}, "cancel": {"payable", "pending_charge"},
		"mark_as_paid": {"payable"}}
	if in.what == "became" { // nothing brings a cancelled purchase back
		return when(state != "cancelled" || out.is == state, out.is)
	}
	if in.what == "read" {
		if out.how == unknown {
			return []string{state}
		}
		return when(out.is == state, state)
	}
	may := false
	for _, s := range from[in.what] {
		may = may || s == state
	}
	switch {
	case out.how == unknown && may:
		return []string{state, to[in.what]}
	case out.how == unknown:
		return []string{state}
	case out.how == refused:
		return when(!may, state)
	}
	return when(may, to[in.what])
}

// brandStep: a change of settings is made on the version that was seen, or not at all.
func brandStep(state string, in asked, out given) []string {
	switch {
	case in.what == "read":
		return when(out.how == unknown || out.is == state, state)
	case out.how == done:
		return when(in.arg == state, out.is)
	case out.how == refused:
		return when(in.arg != state, state)
	case in.arg == state:
		return []string{state, next(state)}
	}
	return []string{state}
}

func when(is bool, state string) []string {
	if is {
		return []string{state}
	}
	return nil
}

// standing is the class of a status: those in which a purchase can be paid are one.
func standing(status string) string {
	switch status {
	case "created", "sent", "viewed", "error", "overdue":
		return "payable"
	}
	return status
}
