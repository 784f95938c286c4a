package leaving

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database/seal"
)

// scans are the files that prove mandates, on their way into a book.
type scans struct {
	stream  *stream
	over    bool
	damaged map[string]bool // ids
}

// evidencePath is where such a file is in the book: by the contract reference, so that it finds its mandate again.
const evidencePath = `'evidence/' || regexp_replace(coalesce(m.contract_reference, ''), '[^A-Za-z0-9-]', '', 'g')
	|| '_' || x.id || CASE x.content_type WHEN 'application/pdf' THEN '.pdf' WHEN 'image/png' THEN '.png'
		WHEN 'image/jpeg' THEN '.jpg' ELSE '.bin' END`

const evidenceFrom = "mandate_evidence x LEFT JOIN mandates m ON m.id = x.mandate_id"

var evidenceFile = file{name: "evidence.csv", holds: "The files that prove mandates, such as scans of signed forms",
	tables: []string{"mandate_evidence"}, from: evidenceFrom, order: "x.id", columns: []column{
		word("evidence_id", "x.id", "Its id here"),
		word("mandate_id", "x.mandate_id", "The mandate that it proves"),
		word("client_id", "m.client_id", "The client of the mandate"),
		text("contract_reference", "m.contract_reference", "The reference of the mandate"),
		word("path", evidencePath, "Where the file is in this ZIP"),
		text("name", "x.name", "The name with which it was uploaded"),
		word("content_type", "x.content_type", "Its media type"),
		count("bytes", "x.size_bytes", "Its length"),
		word("sha256", "encode(x.sha256, 'hex')", "SHA-256 of the file"),
		moment("created_at", "x.created_at", "When it was uploaded"),
	}}

// evidence writes the next files.
func (b *Book) evidence(ctx context.Context) (err error) {
	if b.scans.stream == nil {
		if b.scans.stream, err = b.shot.stream(ctx, 4, `SELECT x.id::text, `+evidencePath+`, x.sha256, x.content
			FROM `+evidenceFrom+` WHERE x.merchant_id = $1 ORDER BY x.id`); err != nil {
			return fmt.Errorf("evidence: %w", err)
		}
	}
	for range filesOfStep {
		values, there, err := b.scans.stream.next()
		if err != nil {
			return fmt.Errorf("evidence: %w", err)
		}
		if !there {
			b.scans.over = true
			return nil
		}
		if err := b.scan(string(values[0]), string(values[1]), values[2], values[3]); err != nil {
			return fmt.Errorf("evidence %s: %w", values[0], err)
		}
	}
	return nil
}

// scan writes one file; one that does not open, or is not what was uploaded, is named as damaged.
func (b *Book) scan(id, path string, sum, stored []byte) error {
	row, err := uuid.Parse(id)
	if err != nil {
		return err
	}
	place := seal.PlaceOf("mandate_evidence", "content", b.shot.merchantID, row)
	content, err := b.shot.box.OpenBytes(place, stored)
	if is := sha256.Sum256(content); err != nil || !bytes.Equal(is[:], sum) {
		b.scans.damaged[id] = true
		return nil //nolint:nilerr // what is damaged is named in the list, and the book goes on
	}
	to, err := b.entry(path)
	if err != nil {
		return err
	}
	if _, err := to.Write(content); err != nil {
		return err
	}
	b.manifest.Evidence.Files++
	b.manifest.Evidence.Bytes += int64(len(content))
	b.done.Files++
	return nil
}
