-- +goose Up
-- How people want to see lists. All moments are of real time.

-- What one person has chosen for one list.
CREATE TABLE list_settings (
    merchant_id uuid NOT NULL REFERENCES merchants (id),
    user_id     uuid NOT NULL,
    list        text NOT NULL,                      -- the address of the list
    columns     text[] NOT NULL DEFAULT '{}',       -- in their order; none: as the list comes
    compact     boolean NOT NULL DEFAULT false,
    page_rows   integer NOT NULL DEFAULT 0,         -- rows of a page; 0: as the list comes
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, user_id, list)
);

-- Views that people saved: filters, order and columns under a name.
CREATE TABLE list_views (
    id           uuid PRIMARY KEY,
    merchant_id  uuid NOT NULL REFERENCES merchants (id),
    list         text NOT NULL,
    name         text NOT NULL,
    query_sealed bytea NOT NULL,                    -- the address behind the list; people search for identity numbers
    owner_id     uuid NOT NULL,
    owner_name   text NOT NULL,
    shared       boolean NOT NULL DEFAULT false,    -- with the team
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    deleted_at   timestamptz                        -- until it is dropped, the deletion can be undone
);
CREATE INDEX list_views_of_list ON list_views (merchant_id, list, id);
CREATE INDEX list_views_deleted ON list_views (deleted_at) WHERE deleted_at IS NOT NULL;

-- Views that a person sees on every page.
CREATE TABLE list_view_pins (
    merchant_id uuid NOT NULL,
    user_id     uuid NOT NULL,
    view_id     uuid NOT NULL REFERENCES list_views (id) ON DELETE CASCADE,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, user_id, view_id)
);
CREATE INDEX list_view_pins_of_view ON list_view_pins (view_id);

-- +goose Down
DROP TABLE list_view_pins, list_views, list_settings;
