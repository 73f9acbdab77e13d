// SPDX-License-Identifier: Apache-2.0

/// A metric of the server: its name, its description, and the label of its series.
///
/// The names follow the conventions of Prometheus: the name of a counter ends with `_total`, that of a quantity with
/// its unit.
package struct Metric: Sendable, Hashable {
    /// The name, which the queries of operators rely on.
    package let name: String
    /// A sentence without a backslash or a line break, which `/metrics` and collectors show.
    package let help: String
    /// The name of the label that distinguishes the series; nil for a metric with one series.
    package let label: String?
    /// The label values of an event; each value is reported from the start, with 0.
    package let values: [String]

    /// Whether the values are durations in seconds.
    package var isOfSeconds: Bool { name.utf8.reversed().starts(with: "_seconds".utf8.reversed()) }

    private init(_ name: String, _ help: String, by label: String? = nil, of values: [String] = []) {
        self.name = name
        self.help = help
        self.label = label
        self.values = values
    }
}

// MARK: Events

extension Metric {
    package static let accountsCreated = Metric(
        "latch_accounts_created_total", "Accounts that were created, by their users, by invitations and by providers.")
    package static let breachLookups = Metric(
        "latch_breach_lookups_total", "Questions to the service that knows leaked passwords.", by: "result",
        of: ["answered", "failed"])
    package static let codeReplays = Metric(
        "latch_code_replays_total", "Authorization codes that were used a second time, which revoked their tokens.")
    package static let hookCalls = Metric(
        "latch_hook_calls_total",
        "Requests to the operator's programs; skipped are those that were not sent after several failed ones.",
        by: "result", of: ["answered", "failed", "skipped"])
    package static let housekeepingFailures = Metric(
        "latch_housekeeping_failures_total", "Attempts to prune expired rows that failed, and are repeated.")
    package static let keyRefreshFailures = Metric(
        "latch_key_refresh_failures_total", "Looks for newer signing keys in the store that failed.")
    package static let logins = Metric(
        "latch_logins_total",
        "Passwords that were checked, at logins and before changes; incomplete are right ones that lack a second factor, or were refused later.",
        by: "result", of: ["success", "incomplete", "failure", "limited"])
    package static let mails = Metric(
        "latch_mails_total", "Attempts to send emails, and emails that are not sent for a limit or their age.",
        by: "result",
        of: ["sent", "failed", "refused", "limited", "abandoned"])
    package static let mailStoreFailures = Metric(
        "latch_mail_store_failures_total", "Statements about waiting emails that failed: some arrive later, or twice.")
    package static let passkeySignIns = Metric(
        "latch_passkey_sign_ins_total", "Passkeys that were checked, at logins and before changes.", by: "result",
        of: ["success", "failure"])
    package static let secondFactors = Metric(
        "latch_second_factors_total",
        "Codes of second factors that were checked, and those that a limit or a lock refused.",
        by: "result", of: ["accepted", "refused", "limited"])
    package static let tokenReplays = Metric(
        "latch_token_replays_total",
        "Refresh tokens that were used again, within the window or after it.",
        by: "outcome", of: ["repeated", "revoked"])
    package static let upstreamSignIns = Metric(
        "latch_upstream_sign_ins_total",
        "Logins through other providers; failures also of links and of authentications before changes.", by: "result",
        of: ["success", "denied", "failed", "unavailable"])

    /// Its values are the grants of a server, which ``Metrics`` gets.
    package static let tokensIssued = Metric(
        "latch_tokens_issued_total", "Responses with an access token.", by: "grant")

    package static let reloadFailures = Metric(
        "latch_reload_failures_total", "Reloads after which the earlier configuration and certificate stayed in effect."
    )

    /// The counters of events.
    package static let events = [
        accountsCreated, breachLookups, codeReplays, hookCalls, housekeepingFailures, keyRefreshFailures, logins, mails,
        mailStoreFailures,
        passkeySignIns, reloadFailures, secondFactors, tokenReplays, tokensIssued, upstreamSignIns,
    ]
}

// MARK: Requests, store and process

extension Metric {
    package static let requests = Metric(
        "latch_requests_total", "Requests that were responded to; calls over gRPC that the server failed count as 5xx.",
        by: "status")
    package static let requestSeconds = Metric(
        "latch_request_seconds", "The time from a request's head to its response.")
    package static let connections = Metric("latch_connections", "Open connections of the public listener.")
    package static let connectionsRefused = Metric(
        "latch_connections_refused_total",
        "Connections to the public listener that were closed, since there were too many, or too many from one address.")
    package static let connectionExhaustions = Metric(
        "latch_connection_exhaustions_total",
        "Attempts of the public listener to accept that failed, since the process had no file descriptor or memory left."
    )
    package static let certificateEnd = Metric(
        "latch_certificate_end_timestamp_seconds",
        "The time at which the certificate in use, or one behind it, ends, in seconds since 1970.")
    package static let familiesRevoked = Metric(
        "latch_families_revoked_total",
        "Devices that were signed out: by their users, by administrators, for a copied token or code, a change of credentials, or the limit of devices."
    )
    static let storeSeconds = Metric(
        "latch_store_seconds", "The time of the store's calls, with each wait for a writer, a disk and a database.",
        by: "effect")
    package static let storeCommits = Metric(
        "latch_store_commits_total", "Transactions of the store, those of PostgreSQL also where they failed.")
    package static let storeWrites = Metric("latch_store_writes_total", "Changes in these transactions.")
    package static let storeConflicts = Metric(
        "latch_store_conflicts_total", "Transactions that PostgreSQL has undone because of concurrent ones.")
    package static let storeLargestCommit = Metric(
        "latch_store_largest_commit", "The most changes that one commit had.")
    package static let passwordsRunning = Metric(
        "latch_passwords_running", "Hashes of passwords that are being computed.")
    package static let passwordsWaiting = Metric("latch_passwords_waiting", "Hashes of passwords that wait for a core.")
    package static let mailsWaiting = Metric("latch_mails_waiting", "Emails that wait to be sent, by any node.")
    package static let mailsOldestSeconds = Metric(
        "latch_mails_oldest_seconds",
        "The age of the oldest waiting email; one that the mail server has refused counts in the minutes before its next attempt."
    )
    package static let eventsWaiting = Metric(
        "latch_events_waiting", "Events that wait for their hooks or code, to be told by any node.")
    package static let eventsOldestSeconds = Metric(
        "latch_events_oldest_seconds", "The age of the oldest event that waits.")
    package static let tokenCacheEntries = Metric(
        "latch_token_cache_entries", "Access tokens that are known as verified.")
    package static let tokenCacheHits = Metric(
        "latch_token_cache_hits_total", "Access tokens that were known when they were asked for.")
    package static let tokenCacheMisses = Metric(
        "latch_token_cache_misses_total", "Access tokens that were not known when they were asked for, valid or not.")
    package static let spans = Metric("latch_spans_total", "Spans of traces, by what became of them.", by: "result")
    package static let build = Metric("latch_build_info", "The version of this process; always 1.", by: "version")
}
