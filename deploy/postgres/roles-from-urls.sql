-- Runs roles.sql with the passwords of the URLs in the files that OWNER_URL_FILE, GATEWAY_URL_FILE, PORTAL_URL_FILE, BANK_URL_FILE and
-- SERVING_URL_FILE name. A password must consist of letters, digits, - and _: any other counts as missing, because nothing is decoded.
\set ON_ERROR_STOP on
\set owner_password `sed -nE 's#^[a-z]+://[^:/]*:([A-Za-z0-9_-]+)@.*#\1#p' "$OWNER_URL_FILE"`
\set gateway_password `sed -nE 's#^[a-z]+://[^:/]*:([A-Za-z0-9_-]+)@.*#\1#p' "$GATEWAY_URL_FILE"`
\set portal_password `sed -nE 's#^[a-z]+://[^:/]*:([A-Za-z0-9_-]+)@.*#\1#p' "$PORTAL_URL_FILE"`
\set bank_password `sed -nE 's#^[a-z]+://[^:/]*:([A-Za-z0-9_-]+)@.*#\1#p' "$BANK_URL_FILE"`
\set serving_password `sed -nE 's#^[a-z]+://[^:/]*:([A-Za-z0-9_-]+)@.*#\1#p' "$SERVING_URL_FILE"`
\ir roles.sql
