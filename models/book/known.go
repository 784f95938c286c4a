package book

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/book/source"
	"debitdesk/models/client"
	"debitdesk/models/merchant"
	"debitdesk/models/subscription"
)

// known is what rows are held against: the clients that they may mean, with their accounts and subscriptions, and what
// the brand has.
type known struct {
	today     Day
	brand     merchant.Brand
	guard     Guard
	mapping   Mapping
	source    source.Report
	templates []subscription.Template
	hashOf    func(branch string, number bank.AccountNumber) []byte

	byID        map[uuid.UUID]client.Client
	byReference map[string]uuid.UUID
	referenceOf map[uuid.UUID]string
	byEmail     map[string][]client.Client
	byIdentity  map[string][]client.Client
	accounts    map[uuid.UUID][]storedAccount // live ones, the newest first
	running     map[uuid.UUID][]runningSub    // subscriptions that are not over
	contracts   map[string]bool               // references of mandates that are in use
	scans       map[int][]Scan                // by row; nil: none were sent
	proven      map[uuid.UUID][]string        // the digests of the scans that mandates have
	owing       map[uuid.UUID][]Owed          // what was taken over before
	earlier     map[int]Row                   // rows to which others add
}

// storedAccount is a stored account of a client.
type storedAccount struct {
	id, mandate uuid.UUID
	hash        []byte
}

// runningSub is a subscription of a client.
type runningSub struct {
	template uuid.UUID
	cents    int64
}

// chose is what a person chose for a row, or for all rows of the cause.
func (k *known) chose(row Row, cause string) string {
	if choice := row.Choices[cause]; choice != "" {
		return choice
	}
	return k.mapping.Choices[cause]
}

func (k *known) add(c client.Client) {
	if _, met := k.byID[c.ID]; met {
		return
	}
	k.byID[c.ID] = c
	if c.Email != "" {
		key := strings.ToLower(c.Email)
		k.byEmail[key] = append(k.byEmail[key], c)
	}
	if c.PersonalCode != "" {
		key := bank.CleanID(c.PersonalCode.Reveal()).Reveal()
		k.byIdentity[key] = append(k.byIdentity[key], c)
	}
}

// know reads everything that some rows are held against, in a handful of questions, however many rows there are. What
// the import itself has made is not counted: its rows were told apart when they were rehearsed.
func (s *Service) know(ctx context.Context, i Import, lines []Line, scans map[int][]Scan) (*known, error) {
	k := &known{today: dayOfMoment(s.Now()), mapping: i.Mapping, source: i.Source, byID: map[uuid.UUID]client.Client{},
		byReference: map[string]uuid.UUID{}, referenceOf: map[uuid.UUID]string{}, byEmail: map[string][]client.Client{},
		byIdentity: map[string][]client.Client{}, contracts: map[string]bool{}, scans: scans}
	ids, err := s.lookBack(ctx, i, lines, k)
	if err != nil {
		return nil, err
	}
	if k.brand, err = s.Purchases.Merchants().Brand(ctx, i.MerchantID, i.BrandID); err != nil {
		return nil, err
	}
	k.guard = Guard{CutOver: i.CutOver, Schedule: s.Purchases.Schedule(k.brand, bank.Method("eft")), Now: s.Now()}
	k.hashOf = s.Store.hasher(i.MerchantID)
	if k.templates, err = s.Store.templates(ctx, i.MerchantID); err != nil {
		return nil, err
	}
	var emails, references, contracts []string
	var identities []bank.IDNumber
	for _, l := range lines {
		v := l.Values
		if v.ClientID != uuid.Nil {
			ids = append(ids, v.ClientID)
		}
		if v.Details.Email != "" {
			emails = append(emails, strings.ToLower(v.Details.Email))
		}
		if v.Details.PersonalCode != "" {
			identities = append(identities, v.Details.PersonalCode)
		}
		if v.Reference != "" {
			references = append(references, v.Reference)
		}
		for _, old := range []string{v.OldMandate, v.Reference} {
			if old != "" {
				contracts = append(contracts, strings.ToUpper(old))
			}
		}
	}
	if k.byReference, err = s.Store.referred(ctx, i, references); err != nil {
		return nil, err
	}
	if i.Source.OnlyJoins {
		if err := s.Store.contracted(ctx, i, contracts, k.byReference); err != nil {
			return nil, err
		}
	}
	for _, id := range k.byReference {
		ids = append(ids, id)
	}
	met, err := client.Store{DB: s.Store.DB}.Matching(ctx, i.MerchantID, client.Keys{IDs: ids, Emails: emails,
		Identities: identities})
	if err != nil {
		return nil, err
	}
	own, err := s.Store.madeBy(ctx, i, idsOf(met))
	if err != nil {
		return nil, err
	}
	for _, c := range met {
		if !slices.Contains(own, c.ID) {
			k.add(c)
		}
	}
	for ref, id := range k.byReference { // of a client that was deleted, or that this import made
		if _, there := k.byID[id]; !there {
			delete(k.byReference, ref)
		}
	}
	return k, s.Store.knowMore(ctx, i, k, contracts)
}

func idsOf(all []client.Client) []uuid.UUID {
	out := make([]uuid.UUID, 0, len(all))
	for _, c := range all {
		if !slices.Contains(out, c.ID) {
			out = append(out, c.ID)
		}
	}
	return out
}
