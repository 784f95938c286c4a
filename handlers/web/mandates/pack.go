package mandates

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/download"
	"debitdesk/models/actor"
	"debitdesk/models/audit/trail"
	"debitdesk/models/calendar"
	"debitdesk/models/celltext"
	"debitdesk/models/collection"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/documents"
)

// packRows is how many debits, the newest, and how many mails a pack lists.
const packRows = 500

// Pack serves GET /mandates/:id/pack.zip: everything about a mandate that an outsider needs, with proofs.
func (h *Mandates) Pack(c echo.Context) error {
	if err := access.Actor(c).May(actor.Manage); err != nil {
		return err
	}
	s, rec, err := h.open(c)
	if err != nil {
		return err
	}
	pack, err := h.packOf(c, s, rec)
	if err != nil {
		return err
	}
	var out bytes.Buffer // a pack that cannot be finished is no pack
	if err := h.Audit.WritePack(c.Request().Context(), access.Actor(c), pack, &out); err != nil {
		return err
	}
	name := "mandate-" + strings.Map(fileRune, s.ContractReference) + ".zip"
	return download.Send(c, name, "application/zip", out.Bytes())
}

// packOf collects the files of a pack.
func (h *Mandates) packOf(c echo.Context, s mandate.Sheet, rec purchase.Record) (trail.MandatePack, error) {
	ctx, who := c.Request().Context(), access.Actor(c)
	p := trail.MandatePack{Reference: s.ContractReference, MandateID: s.ID}
	pdf, err := documents.Render(mandatePaper(s, rec, h.Desk.Now(), h.Desk.Sandbox))
	if err != nil {
		return p, err
	}
	add := func(name string, content []byte) {
		p.Files = append(p.Files, trail.PackFile{Name: name, Content: content})
	}
	add("mandate.pdf", pdf)
	add("wording.txt", []byte(s.Consent.Text+"\n"))
	for _, f := range s.Evidence {
		full, err := h.Service.File(ctx, who, f.ID)
		if err != nil {
			return p, err
		}
		add("evidence/"+f.ID.String()+scanEnding(f), full.Content)
	}
	debits, err := h.Purchases.DebitsUnder(ctx, who.MerchantID, s.ID, packRows)
	if err != nil {
		return p, err
	}
	for _, d := range debits {
		if d.PurchaseID != s.ID && !slices.Contains(p.Purchases, d.PurchaseID) {
			p.Purchases = append(p.Purchases, d.PurchaseID)
		}
	}
	mails, err := h.Mails.MailsOf(ctx, who.MerchantID, append([]uuid.UUID{s.ID}, p.Purchases...), packRows)
	if err != nil {
		return p, err
	}
	add("answers.csv", answersFile(s.Authentications))
	add("debits.csv", debitsFile(debits))
	add("mails.csv", mailsFile(mails))
	return p, nil
}

// scanEnding is the ending of an uploaded file's name, where it is a plain one.
func scanEnding(f mandate.Evidence) string {
	ending := strings.ToLower(path.Ext(f.Name))
	if len(ending) < 2 || strings.Trim(ending[1:], "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return ending
}

// csvOf writes rows as CSV. Texts are guarded against being run as formulas.
func csvOf(head []string, rows [][]string) []byte {
	var out bytes.Buffer
	to := csv.NewWriter(&out)
	_ = to.Write(head)
	for _, row := range rows {
		for i := range row {
			row[i] = celltext.Guard(row[i])
		}
		_ = to.Write(row)
	}
	to.Flush()
	return out.Bytes()
}

func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func on(d calendar.Date) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}

func answersFile(asked []mandate.Authentication) []byte {
	rows := make([][]string, 0, len(asked))
	for _, a := range asked {
		rows = append(rows, []string{strconv.Itoa(a.Number), string(a.Method), string(a.State), a.Code, a.Channel,
			a.RequestedBy, at(a.RequestedAt), at(a.SentAt), at(a.DeliveredAt), at(a.ExpiresAt), at(a.AnsweredAt)})
	}
	return csvOf([]string{"number", "method", "state", "code", "channel", "requested_by", "requested_at", "sent_at",
		"delivered_at", "expires_at", "answered_at"}, rows)
}

func debitsFile(debits []collection.Collection) []byte {
	rows := make([][]string, 0, len(debits))
	for _, d := range debits {
		rows = append(rows, []string{d.ID.String(), d.PurchaseID.String(), strconv.Itoa(d.Attempt), on(d.ActionDate),
			money.Plain(d.AmountCents), d.Currency, string(d.Method), string(d.State), d.Result.Code, d.Result.Text,
			at(d.ResultAt), d.StatementLine, on(d.DisputeDeadline), on(d.DisputeUntil)})
	}
	return csvOf([]string{"debit_id", "purchase_id", "attempt", "debit_date", "amount", "currency", "method", "state",
		"code", "result", "result_at", "statement_line", "refunded_on_dispute_until", "disputable_until"}, rows)
}

func mailsFile(mails []mail.Mail) []byte {
	rows := make([][]string, 0, len(mails))
	for _, m := range mails {
		rows = append(rows, []string{m.ID.String(), fmt.Sprint(m.PurchaseID), m.Kind, m.To, m.Subject, m.State,
			at(m.CreatedAt), at(m.SentAt), m.Text})
	}
	return csvOf([]string{"mail_id", "purchase_id", "kind", "to", "subject", "state", "written_at", "sent_at",
		"text"}, rows)
}
