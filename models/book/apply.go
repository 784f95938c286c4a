package book

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// reference is one that a client gets.
type reference struct {
	text     string
	clientID uuid.UUID
}

// applyAll does what rows were rehearsed to do. Clients that change are locked first, all at once.
func (d *doing) applyAll(tx *database.Tx, i Import, plans []*plan, rows []Row) (err error) {
	var changed []uuid.UUID
	for _, p := range plans {
		if id := cmp.Or(p.client.ID, p.known.earlier[p.adds].ClientID); p.verdict == Updated && id != uuid.Nil {
			changed = append(changed, id)
		}
	}
	if d.clients, err = client.LockIn(tx, i.MerchantID, changed); err != nil {
		return err
	}
	for n, p := range plans {
		if !p.verdict.Comes() {
			continue
		}
		if err := d.apply(tx, i, p, &rows[n]); err != nil {
			return err
		}
	}
	refer(tx, i, d.referred)
	for n, p := range plans {
		if err := keepScans(tx, p, &rows[n]); err != nil {
			return err
		}
	}
	return nil
}

// keepScans keeps the scans of a row with its mandate, one after the other: they are large.
func keepScans(tx *database.Tx, p *plan, row *Row) error {
	of := p.mandate
	if p.makes {
		of = row.TokenID // an account has the id of the mandate that came with it
	}
	for _, s := range p.scans {
		switch kept, err := keepScan(tx, s, of); {
		case err != nil:
			return err
		case !kept:
			row.Findings = append(slices.Clone(row.Findings), Finding{Level: Warning, Cause: CauseScanDamaged,
				Message: "the scan " + s.Name + " cannot be read: what was stored of it was damaged. Add it on the page of the " +
					"mandate"})
		}
	}
	return nil
}

// apply does what a row was rehearsed to do: the client, the account with its mandate, the subscription; parked, until
// the group is switched on.
func (d *doing) apply(tx *database.Tx, i Import, p *plan, row *Row) error {
	row.State, row.Undo = Applied, &Undo{}
	if p.verdict == Unchanged {
		row.ClientID = p.client.ID
		return nil
	}
	c, err := d.client(tx, i, p, row)
	if err != nil {
		return err
	}
	if p.refer != "" {
		d.referred = append(d.referred, reference{p.refer, c.ID})
		row.Undo.Refer = p.refer
	}
	account := cmp.Or(p.token, d.accountOf(p))
	if p.makes {
		if account, err = d.account(tx, p, c); err != nil {
			return err
		}
		row.TokenID, d.tokens[row.N] = account, account
	}
	if sub := p.subscribe; sub != nil {
		row.SubscriberID = d.subscription(tx, p, *sub, c, account)
	}
	if p.owes != nil {
		row.Undo.Owed = d.owed(tx, p, c)
	}
	if text := p.noteText(i); text != "" && p.verdict == Created {
		n := followup.Note{ID: tx.NewID(), MerchantID: i.MerchantID, ObjectType: followup.Client, ObjectID: c.ID,
			ClientID: c.ID, Text: text, AuthorID: d.who.ID, Author: d.who.Name, CreatedAt: tx.Now()}
		followup.InsertNote(tx, n)
		row.Undo.Notes = []uuid.UUID{n.ID}
	}
	row.ClientID = c.ID
	d.note(tx, i, p, c)
	return nil
}

// client adds or changes the client of a row.
func (d *doing) client(tx *database.Tx, i Import, p *plan, row *Row) (client.Client, error) {
	if p.verdict == Created {
		c := client.Client{ID: tx.NewID(), MerchantID: i.MerchantID, Details: p.details, CreatedAt: tx.Now(),
			UpdatedAt: tx.Now(), ParkedAt: tx.Now()}
		client.Insert(tx, c)
		row.Undo.MadeWho, row.Undo.At = true, stamp(tx.Now())
		d.made[row.N] = c
		return c, nil
	}
	if p.adds > 0 {
		c, there := d.addsTo(p)
		if !there {
			return c, fault.ErrLost
		}
		row.Undo.Adds, row.Undo.At = true, stamp(c.UpdatedAt)
		return c, nil
	}
	c, there := d.clients[p.client.ID]
	if !there || !c.UpdatedAt.Equal(p.client.UpdatedAt) || c.Erased() {
		return c, fault.ErrLost // the next try looks at what is there then
	}
	before, err := client.InFull(c.Details)
	if err != nil {
		return c, err
	}
	row.Undo.Before, row.Undo.Was, row.Undo.At = before, stamp(c.UpdatedAt), stamp(tx.Now())
	c.Details, c.UpdatedAt = p.details, tx.Now()
	client.SaveIn(tx, c)
	return c, nil
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// account stores the account with its mandate.
func (d *doing) account(tx *database.Tx, p *plan, c client.Client) (uuid.UUID, error) {
	v := p.values
	units, day := "months", v.Day
	if v.Cycle.inMonths() == 0 {
		units = "weeks"
	}
	if day == 0 && p.subscribe != nil {
		if day = min(p.subscribe.due.Day, 30); units == "weeks" {
			day = p.subscribe.due.ISOWeekday()
		}
	}
	if day == 0 {
		day = 1
	}
	contract := p.known.contract(v, d.contract)
	payer := c.Details
	if v.More > 0 {
		payer.BankAccount, payer.BankCode = v.Details.BankAccount, v.Details.BankCode
		payer.AccountType = v.Details.AccountType
	}
	k, err := d.s.Purchases.InsertMovedIn(tx, d.who, purchase.MovedIn{Brand: p.known.brand, ClientID: c.ID,
		Payer:  payer,
		Holder: v.holder(), Known: mandate.MovedIn{SignedOn: v.SignedOn, OldReference: v.oldReference(),
			Cents: cmp.Or(v.MandateCents, v.Cents)},
		Channel: mandate.ByAPI, Units: units, Day: day, Contract: contract,
		Reference: purchase.ReferenceOf(p.known.brand, d.reference), NotBefore: p.earliest, Parked: true,
		Failures: v.Failures})
	d.contract, d.reference = d.contract+1, d.reference+1
	return k.ID, err
}

// subscription adds the client to a template, parked.
func (d *doing) subscription(tx *database.Tx, p *plan, sub subscribe, c client.Client, account uuid.UUID) uuid.UUID {
	if sub.template.ID == uuid.Nil {
		sub.template = *d.fresh[sub.key]
	}
	held := d.held[sub.template.ID]
	d.held[sub.template.ID] = true
	return d.s.Subscriptions.InsertParked(tx, subscription.MovedIn{Template: sub.template, ClientID: c.ID,
		TokenID: account,
		FirstOn: sub.template.Plan.BilledFor(sub.due), Cents: sub.cents, Held: held, Passed: sub.passed,
		Paused: p.values.Paused, Reference: cmp.Or(p.values.Invoices, p.values.Reference)}).ID
}

// note keeps what a row did, in the time line of the client.
func (d *doing) note(tx *database.Tx, i Import, p *plan, c client.Client) {
	was, is := map[string]any{}, map[string]any{"import": i.ID, "parked": true}
	var did []string
	for _, one := range p.changes {
		key := strings.ToLower(strings.ReplaceAll(one.What, " ", "_"))
		if one.Was != "" {
			was[key] = one.Was
		}
		is[key] = one.Is
		did = append(did, one.What)
	}
	action, text := "client.created", fmt.Sprintf("%s was added by the import %s.", c.Name(), i.Name)
	if p.verdict == Updated {
		action, text = "client.changed", fmt.Sprintf("%s was changed by the import %s: %s.", c.Name(), i.Name,
			strings.ToLower(strings.Join(did, ", ")))
	}
	tx.Audit(d.who, audit.Entry{Action: action, ObjectType: "client", ObjectID: c.ID, ClientID: c.ID, Text: text,
		Before: was, After: is})
}
