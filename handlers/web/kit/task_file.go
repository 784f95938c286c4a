package kit

import (
	"bytes"
	"encoding/json"
	"time"

	"debitdesk/handlers/web/export"
	"debitdesk/models/task"
)

// TaskFile is the part of a task's CSV file that one step writes.
type TaskFile struct {
	export.Writer
	out bytes.Buffer
}

// OpenTaskFile begins the part of a step. The first step, at which made is zero, names the file and sets made. follows
// says that rows were written before.
func OpenTaskFile(d *Desk, t *task.Task, name string, heads []export.Head, made *time.Time,
	follows bool) (*TaskFile, error) {
	if made.IsZero() {
		*made = d.Now()
		t.FileName, t.FileType = exportName(name, *made, export.CSV), export.CSV.ContentType()
	}
	f := &TaskFile{}
	file, err := export.Open(export.CSV, &f.out,
		export.Table{Name: name, Heads: heads, Made: *made, Follows: follows})
	f.Writer = file
	return f, err
}

// End gives the part to the piece of the step, and keeps where the task goes on.
func (f *TaskFile) End(t *task.Task, piece *task.Piece, position any) (err error) {
	finish := f.Flush
	if !piece.More {
		finish = f.Finish
	}
	if err := finish(); err != nil {
		return err
	}
	piece.File = f.out.Bytes()
	t.Position, err = json.Marshal(position)
	return err
}
