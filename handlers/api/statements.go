package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api/input"
	"debitdesk/handlers/download"
	"debitdesk/models/statement"
)

// Statements serves /company_statements/.
type Statements struct {
	Base    Base
	Service *statement.Service
}

type statementBody struct {
	Type        string    `json:"type"`
	ID          uuid.UUID `json:"id"`
	CreatedOn   int64     `json:"created_on"`
	UpdatedOn   int64     `json:"updated_on"`
	Format      string    `json:"format"`
	Timezone    string    `json:"timezone"`
	IsTest      bool      `json:"is_test"`
	CompanyUID  uuid.UUID `json:"company_uid"`
	QueryString string    `json:"query_string"`
	Status      string    `json:"status"`
	DownloadURL *string   `json:"download_url"`
	BeganOn     *int64    `json:"began_on"`
	FinishedOn  *int64    `json:"finished_on"`
}

func (b Base) statementBody(s statement.Statement) any {
	out := statementBody{Type: "company_statement", ID: s.ID, CreatedOn: s.CreatedAt.Unix(), UpdatedOn: s.UpdatedAt.Unix(),
		Format: string(s.Format), Timezone: s.Timezone,
		IsTest: s.IsTest, CompanyUID: s.MerchantID, QueryString: s.Query, Status: string(s.Status)}
	if !s.BeganAt.IsZero() {
		out.BeganOn = ref(s.BeganAt.Unix())
	}
	if !s.FinishedAt.IsZero() {
		out.FinishedOn = ref(s.FinishedAt.Unix())
	}
	if s.Status == statement.Finished {
		out.DownloadURL = ref(strings.TrimSuffix(string(b), "/") + "/api/v1/company_statements/" + s.ID.String() + "/file/")
	}
	return out
}

// Create serves POST /company_statements/: the filters stand in the query.
func (h *Statements) Create(c echo.Context) error {
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	in := statement.Input{Format: statement.Format(body.NeedChoice("format", string(statement.CSV),
		string(statement.XLSX))), Timezone: body.Text("timezone", 64)}
	in.Problems = body.Problems()
	in.Filter = statementFilter(c, &in.Problems)
	in.Query = plainQuery(c.QueryParams())
	who := access.Actor(c)
	return Run(c, http.StatusCreated, h.Base.statementBody, func(ctx context.Context) (statement.Statement, error) {
		return h.Service.Create(ctx, who, in)
	})
}

// plainQuery keeps of the address what a statement understands.
func plainQuery(q url.Values) string {
	kept := url.Values{}
	for _, name := range []string{"currency", "brand", "brand_id", "payment_method", "product", "flow", "country",
		"terminal_uid", "tokenized", "from", "to",
		"status", "products", "total", "q", "paid_from", "paid_to", "updated_from", "updated_to"} {
		if len(q[name]) > 0 {
			kept[name] = q[name]
		}
	}
	return kept.Encode()
}

// List serves GET /company_statements/.
func (h *Statements) List(c echo.Context) error {
	return listOf(c, h.Base, nil, h.Service.List, func(s statement.Statement) uuid.UUID { return s.ID },
		h.Base.statementBody)
}

// Get serves GET /company_statements/{id}/.
func (h *Statements) Get(c echo.Context) error {
	return one(c, h.Service.Get, h.Base.statementBody)
}

// Cancel serves POST /company_statements/{id}/cancel/.
func (h *Statements) Cancel(c echo.Context) error {
	id, _, err := idAndOptions(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	return Run(c, http.StatusOK, h.Base.statementBody, func(ctx context.Context) (statement.Statement, error) {
		return h.Service.Cancel(ctx, who, id)
	})
}

var statementTypes = map[statement.Format]string{statement.CSV: "text/csv; charset=utf-8",
	statement.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}

// File serves GET /company_statements/{id}/file/.
func (h *Statements) File(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	found, file, err := h.Service.File(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	return download.Send(c, found.Name(), statementTypes[found.Format], file)
}
