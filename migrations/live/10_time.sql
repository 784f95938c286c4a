-- The product's own time, business days and months, and amounts as people read them.

-- A compare-and-set that travels with what depends on it: any other count than 1
-- ends the transaction.
CREATE OR REPLACE FUNCTION must_be_one(n bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF n <> 1 THEN
        RAISE EXCEPTION 'another change came first' USING ERRCODE = 'DD001';
    END IF;
END $$;

-- The day on the product's clock.
CREATE OR REPLACE FUNCTION product_today() RETURNS date LANGUAGE sql STABLE AS $$
    SELECT ((now() + offset_micros * interval '1 microsecond') AT TIME ZONE 'Africa/Johannesburg')::date FROM sandbox_clock $$;

-- The moment on the product's clock.
CREATE OR REPLACE FUNCTION product_now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT now() + offset_micros * interval '1 microsecond' FROM sandbox_clock $$;

CREATE OR REPLACE FUNCTION rands_of(currency text, cents bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    $$ SELECT CASE WHEN currency IN ('ZAR', '') THEN cents ELSE 0 END $$;

CREATE OR REPLACE FUNCTION sast_day(at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE AS
    $$ SELECT (at AT TIME ZONE 'Africa/Johannesburg')::date $$;

-- part × to / of, half up.
CREATE OR REPLACE FUNCTION cents_share(part numeric, to_cents numeric, of_cents numeric) RETURNS bigint
    LANGUAGE sql IMMUTABLE AS $$
    SELECT round(part * to_cents / nullif(of_cents, 0))::bigint $$;
