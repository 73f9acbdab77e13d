// SPDX-License-Identifier: Apache-2.0

/// What a log shows beside what it always does: a method, an origin, words of a path, a status, sizes, times and codes.
///
/// Whatever is not named here is not shown. What is named here is shown as it is, so name nothing that may be a secret.
public struct LoggingOptions: Sendable {
    /// What matters less is left out.
    public var minimumLevel: LogLevel
    /// The fields to show where debugging; those that carry credentials are not shown although they stand here.
    public var fieldNames: Set<HTTPFieldName> = [
        .accept, .contentType, .contentLength, .date, .retryAfter, .userAgent, "Allow", "Content-Encoding", "RateLimit",
    ]
    /// The names of a query whose values are shown, as they stand in the URL; no others are.
    public var queryNames: Set<String>
    /// Whether nothing of a path is shown unless the request has a `template`.
    ///
    /// Otherwise those segments are shown that are words, which no random text is, but a user's name may be.
    public var hidesPaths: Bool

    /// The usual: from `info` on, no values of queries, words of paths.
    public init(minimumLevel: LogLevel = .info, queryNames: Set<String> = [], hidesPaths: Bool = false) {
        self.minimumLevel = minimumLevel
        self.queryNames = queryNames
        self.hidesPaths = hidesPaths
    }
}
