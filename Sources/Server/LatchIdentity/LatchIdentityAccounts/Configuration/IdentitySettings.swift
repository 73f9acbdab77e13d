// SPDX-License-Identifier: Apache-2.0

extension IdentityConfiguration {
    /// All settings of an auth server, in the order in which they are printed.
    ///
    /// A setting is a property with its default, and a line here.
    package static let settings: [ConfigurationSetting<IdentityConfiguration>] = [
        .init("issuer", \.issuer, .optional(.url), "the public URL of the server"),
        .init("audience", \.audience, .optional(.text), "the audience of access tokens; the issuer if not set"),
        .init(
            "access_token_lifetime", \.accessTokenLifetime, .seconds(1...86_400), "seconds an access token is valid",
            isReloaded: true),
        .init(
            "access_token_algorithm", \.accessTokenAlgorithm, .signingAlgorithm,
            "the algorithm of access tokens: ES256, RS256 or EdDSA"),
        .init(
            "refresh_token_lifetime", \.refreshTokenLifetime, .seconds(1...31_536_000),
            "the maximum number of seconds a device stays signed in", isReloaded: true),
        .init(
            "replay_window", \.replayWindow, .seconds(0...3600), "seconds in which a lost refresh response is repeated",
            isReloaded: true),
        .init(
            "keyed_replay_window", \.keyedReplayWindow, .seconds(0...604_800),
            "seconds in which a refresh with the same Idempotency-Key gets the same response", isReloaded: true),
        .init(
            "verification_lifetime", \.verificationLifetime, .seconds(60...2_592_000),
            "seconds a verification link is valid", isReloaded: true),
        .init(
            "reset_lifetime", \.resetLifetime, .seconds(60...86_400), "seconds a password reset link is valid",
            isReloaded: true),
        .init(
            "require_verified_email", \.requireVerifiedEmail, .flag, "whether a login needs a verified address",
            isReloaded: true),
        .init(
            "sign_in_ways", \.signInWays, .optional(.signInWays),
            "the ways to sign in: password, passkey, code and provider; if not set, all but code", isReloaded: true),
        .init(
            "sign_in_codes", \.signInCodes, .flag,
            "whether users can sign in with an emailed code, as with code in sign_in_ways", isReloaded: true),
        .init(
            "sign_in_notices", \.signInNotices, .flag, "whether users get an email about a sign-in on a new device",
            isReloaded: true),
        .init(
            "require_owner_proof", \.requireOwnerProof, .flag,
            "require the password or a session in addition to the emailed link",
            isReloaded: true),
        .init(
            "recent_authentication", \.recentAuthentication, .seconds(60...86_400),
            "seconds for which a login suffices to change an address, a password or a second factor", isReloaded: true),
        .init(
            "deletion_delay", \.deletionDelay, .seconds(3600...31_536_000),
            "seconds in which users can cancel the deletion of their account", isReloaded: true),
        .init(
            "factor_recovery_delay", \.factorRecoveryDelay, .optional(.seconds(172_800...31_536_000)),
            "seconds after which a lost second factor is removed; only administrators remove it if not set",
            isReloaded: true),
        .init(
            "guests", \.guests, .flag, "permit accounts of guests, without an address and a password", isReloaded: true),
        .init(
            "guest_lifetime", \.guestLifetime, .seconds(3600...31_536_000),
            "seconds after the last use of a guest's session until the account is removed", isReloaded: true),
        .init(
            "first_administrator", \.firstAdministrator, .optional(.email),
            "the address whose account becomes the first administrator", isReloaded: true),
        .init(
            "invitation_roles", \.invitationRoles, .roles,
            "app roles that administrators can grant with an invitation, besides the roles they have", isReloaded: true),
        .init(
            "signup", \.signUp, .signUpAccess,
            "who may create an account: open, domains, invitation or closed", isReloaded: true),
        .init(
            "signup_domains", \.signUpDomains, .domains,
            "the domains whose addresses may sign up, and are verified, for the value domains of signup",
            isReloaded: true),
        .init("terms_url", \.termsURL, .optional(.url), "the page about the terms of use", isReloaded: true),
        .init("privacy_url", \.privacyURL, .optional(.url), "the page about privacy", isReloaded: true),
        .init(
            "support_url", \.supportURL, .optional(.supportURL),
            "the page about help with accounts, or an email address as mailto:help@example.com", isReloaded: true),
        .init(
            "logo_file", \.logo, .optional(.image),
            "the logo on pages instead of the name: a PNG, JPEG, WebP, SVG or ICO file",
            isReloaded: true),
        .init(
            "favicon_file", \.favicon, .optional(.image), "the icon of the browser's tab; the logo if not set",
            isReloaded: true),
        .init(
            "accent_color", \.accentColor, .optional(.accentColor),
            "the color of buttons and links on pages, such as #2456c9", isReloaded: true),
        .init(
            "background_color", \.backgroundColor, .optional(.color), "the color around pages, such as #f4f5f7",
            isReloaded: true),
        .init(
            "attributes", \.attributes, .attributes,
            "values that apps keep with accounts: tables of a file, or words such as department;values=Sales,Research;scope=work",
            isReloaded: true),
        .init(
            "signup_attributes", \.signUpAttributes, .attributeNames,
            "the names of additional fields at registration, such as company newsletter", isReloaded: true),
        .init(
            "terms_version", \.termsVersion, .optional(.line(64)),
            "the version of the terms that a registration must accept, such as 2026-01", isReloaded: true),
        .init(
            "argon2_memory_kib", \.argon2MemoryKiB, .number(8...1_048_576), "the memory of a password hash in KiB",
            isReloaded: true),
        .init(
            "argon2_passes", \.argon2Passes, .number(1...16), "the number of passes of a password hash",
            isReloaded: true),
        .init(
            "breached_passwords_url", \.breachedPasswordsURL, .optional(.serviceURL),
            "a service that knows leaked passwords by their digests, such as https://api.pwnedpasswords.com/range",
            isReloaded: true),
        .init(
            "password_queue_limit", \.passwordQueueLimit, .number(1...100_000),
            "the maximum number of password hashes of one kind that wait", isReloaded: true),
        .init(
            "login_limit_per_minute", \.loginLimitPerMinute, .number(1...1_000_000),
            "wrong passwords per minute from one network for one account",
            isReloaded: true),
        .init(
            "signup_limit_per_hour", \.signUpLimitPerHour, .number(1...1_000_000), "sign-ups per hour from one network",
            isReloaded: true),
        .init(
            "guest_limit_per_hour", \.guestLimitPerHour, .number(1...1_000_000), "guests per hour from one network",
            isReloaded: true),
        .init(
            "mail_limit_per_hour", \.mailLimitPerHour, .number(1...1_000_000),
            "emails per hour that one network can request",
            isReloaded: true),
        .init(
            "text_limit_per_hour", \.textLimitPerHour, .number(1...1_000_000), "text messages per hour of the server",
            isReloaded: true),
        .init(
            "phone_prefixes", \.phonePrefixes, .phonePrefixes,
            "the beginnings of phone numbers that can be verified, such as +49 +43; all if none", isReloaded: true),
        .init(
            "nodes", \.nodes, .number(1...1000),
            "the number of servers that share the rate limits, each with an equal part",
            isReloaded: true),
        .init(
            "allowed_origins", \.allowedOrigins, .origins,
            "origins that can use the refresh cookie, separated by spaces", isReloaded: true),
        .init(
            "hsts_max_age", \.hstsMaxAge, .seconds(0...315_360_000),
            "seconds for which browsers keep to https for this host; 0 does not ask them", isReloaded: true),
        .init(
            "mail_directory", \.mailDirectory, .optional(.text),
            "a folder to which emails are written as files, for development"),
        .init("smtp_url", \.smtpURL, .optional(.mailServer), "the URL of the mail server", isSecret: true),
        .init("mail_sender", \.mailSender, .mailbox, "the sender of emails, such as Acme <no-reply@example.com>"),
        .init(
            "mail_hello_name", \.mailHelloName, .optional(.domain),
            "the name of this machine for the mail server; by default the host of the issuer"),
        .init(
            "mail_templates", \.mailTemplates, .optional(.mailTemplates),
            "a folder with your own texts of emails, in files such as verifyEmail.en.txt", isReloaded: true),
        .init("service_name", \.serviceName, .line(60), "the name of the service on pages and in emails"),
        .init(
            "default_language", \.defaultLanguage, .language,
            "the language of pages and emails, unless users prefer another"),
        .init(
            "token_pepper", \.tokenPepper, .optional(.text),
            "a value kept outside the store, without which its refresh tokens are useless", isSecret: true,
            isKeyOfStore: true),
        .init(
            "store_key", \.storeKey, .optional(.storeKey), "the key that encrypts the keys in the store",
            isSecret: true, isKeyOfStore: true),
        .init(
            "signing_key_lifetime", \.signingKeyLifetime, .seconds(3600...315_360_000),
            "seconds until a signing key is replaced", isReloaded: true),
        .init(
            "audit_retention", \.auditRetention, .seconds(86_400...3_153_600_000),
            "seconds an entry of the audit log is kept", isReloaded: true),
        .init("scopes", \.scopes, .scopes, "all scopes of the server, separated by spaces", isReloaded: true),
        .init("default_scopes", \.defaultScopes, .scopes, "the scopes of a login that requests none", isReloaded: true),
        .init(
            "resources", \.resources, .resources,
            "resource servers besides the API: tables of a file, or words such as https://tools.example.com/mcp;scopes=tools:use",
            isReloaded: true),
        .init(
            "clients", \.clients, .clients,
            "OAuth clients: tables of a file, or words such as phone;grants=password,refresh_token;scopes=files:read",
            isReloaded: true),
        .init(
            "client_secrets", \.clientSecretDigests, .digests,
            "the SHA-256 of confidential clients' random secrets, ID=HEX, or ID=HEX+HEX for two", isReloaded: true,
            isSecret: true),
        .init(
            "client_certificates", \.clientCertificates, .certificateSource,
            "where the certificates of OAuth clients come from: none, tls (this server's) or proxy (a trusted one)"),
        .init(
            "mtls_url", \.certificateURL, .optional(.url),
            "the URL at which OAuth clients show certificates, if it is not the issuer's; with tls, the host to ask at"),
        .init(
            "registration", \.registration, .registration,
            "who may register OAuth clients over HTTP: off, token (with one of 'latch admin client initial-token') or open",
            isReloaded: true),
        .init(
            "client_metadata_documents", \.takesClientDocuments, .flag,
            "whether a client_id may be the https URL of a document about the client, as of MCP clients",
            isReloaded: true),
        .init(
            "registration_scopes", \.registrationScopes, .optional(.scopes),
            "the scopes that such clients may have; all but those of administrators if not set", isReloaded: true),
        .init(
            "registration_limit", \.registrationLimit, .number(1...1_000_000),
            "the number of clients that may have registered themselves", isReloaded: true),
        .init(
            "first_party_grants", \.firstPartyGrants, .grants, "the grants of token requests without client_id",
            isReloaded: true),
        .init(
            "first_party_scopes", \.firstPartyScopes, .optional(.scopes),
            "the maximum scopes of tokens requested without client_id; every scope if not set", isReloaded: true),
        .init(
            "token_limit_per_minute", \.tokenLimitPerMinute, .number(1...10_000_000),
            "token requests and RPCs per minute from one network",
            isReloaded: true),
        .init(
            "request_limit_per_minute", \.requestLimitPerMinute, .number(1...10_000_000),
            "requests per minute from one network, except token requests and RPCs", isReloaded: true),
        .init(
            "refresh_limit_per_minute", \.refreshLimitPerMinute, .number(1...10_000_000),
            "refreshes per minute of one account; each device gets a hundredth of them", isReloaded: true),
        .init(
            "upstreams", \.upstreams, .upstreams,
            "identity providers to sign in through: tables of a file, or words such as google;client_id=ID;email_domains=gmail.com",
            isReloaded: true),
        .init(
            "upstream_secrets", \.upstreamSecrets, .secrets, "the client secrets at identity providers, NAME=SECRET",
            isReloaded: true, isSecret: true),
        .init(
            "hooks", \.hooks, .hooks,
            "programs that are asked or told: tables of a file, or words such as gate;on=sign_up;url=https://app.example.com/gate",
            isReloaded: true),
        .init(
            "hook_secrets", \.hookSecrets, .secrets,
            "the secrets that sign the requests to hooks, NAME=whsec_ and 32 random bytes in base 64", isReloaded: true,
            isSecret: true),
        .init(
            "sign_in_redirects", \.signInRedirects, .redirects,
            "the apps' URLs to return to after a sign-in through a provider, such as notes://auth/callback",
            isReloaded: true),
        .init(
            "token_redirects", \.tokenRedirects, .redirects,
            "the apps' URLs that get tokens in the URL, for old clients; prefer sign_in_redirects", isReloaded: true),
        .init(
            "browser_tokens", \.answersBrowsersWithTokens, .flag,
            "show the tokens of a sign-in through a provider as JSON in a browser that names no app", isReloaded: true),
        .init(
            "apple_app_ids", \.appleAppIDs, .appleAppIDs,
            "Apple apps that open the links in emails, such as TEAMID1234.com.example.notes", isReloaded: true),
        .init(
            "android_apps", \.androidApps, .androidApps,
            "Android apps that share the passkeys, such as com.example.notes=AB:CD:… (SHA-256 of the certificate)",
            isReloaded: true),
        .init(
            "app_url", \.appURL, .optional(.appURL),
            "the app's URL that the last page leads back to, such as notes://open"),
        .init(
            "passkey_domain", \.passkeyDomain, .optional(.domain),
            "the domain of passkeys, the host of the issuer or one above it"),
        .init(
            "passkey_origins", \.passkeyOrigins, .passkeyOrigins,
            "origins of other pages and apps that use the passkeys, separated by spaces"),
        .init(
            "user_service", \.hasUserService, .flag, "whether the server has the RPCs of userservice.v1",
            isReloaded: true),
        .init("admin_listen", \.adminListen, .optional(.address), "the address for administration, HOST:PORT"),
    ]
}
