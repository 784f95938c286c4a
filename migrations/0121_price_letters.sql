-- +goose Up
-- Who is told of a price from a date on, once each: written with the change, and sent some hundred at a time.
CREATE TABLE price_letters (
    change_id   uuid NOT NULL,
    n           integer NOT NULL,             -- the place among the letters of the change
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    template_id uuid NOT NULL REFERENCES billing_templates (id),
    client_id   uuid NOT NULL,
    from_day    date NOT NULL,
    words       jsonb NOT NULL,               -- what the client reads: no name, and no number
    state       text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'told', 'ended')),
    PRIMARY KEY (change_id, n),
    UNIQUE (change_id, client_id)
);
CREATE INDEX price_letters_waiting ON price_letters (change_id, n) WHERE state = 'waiting';
CREATE INDEX price_letters_of_template ON price_letters (merchant_id, template_id, change_id);

-- +goose Down
DROP TABLE price_letters;
