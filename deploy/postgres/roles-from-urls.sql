-- Runs roles.sql with the passwords of the URLs in these files. They consist of letters, digits, - and _: nothing is decoded.
\set owner_password `sed -nE 's#^[a-z]+://[^:/]*:([^@]+)@.*#\1#p' "$OWNER_URL_FILE"`
\set gateway_password `sed -nE 's#^[a-z]+://[^:/]*:([^@]+)@.*#\1#p' "$GATEWAY_URL_FILE"`
\set portal_password `sed -nE 's#^[a-z]+://[^:/]*:([^@]+)@.*#\1#p' "$PORTAL_URL_FILE"`
\set bank_password `sed -nE 's#^[a-z]+://[^:/]*:([^@]+)@.*#\1#p' "$BANK_URL_FILE"`
\set serving_password `sed -nE 's#^[a-z]+://[^:/]*:([^@]+)@.*#\1#p' "$SERVING_URL_FILE"`
\ir roles.sql
