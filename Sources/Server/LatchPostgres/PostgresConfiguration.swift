// SPDX-License-Identifier: Apache-2.0

/// The database of a connection pool, and the limits of the pool.
package struct PostgresConfiguration: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name under which the server lists this project's connections, unless the connection string has another.
    package static let applicationName = "latchwork"

    /// The connection string, which may contain a password.
    let connectionString: String
    /// The maximum number of open connections.
    package var maximumConnections = 16
    /// The maximum number of calls that wait for a connection; further calls throw `PostgresError.overloaded`.
    package var maximumWaiting = 8192
    /// How long libpq tries one host, in whole seconds, at least 2; a `connect_timeout` in the string takes precedence.
    package var connectTimeout = Duration.seconds(5)
    /// The time after which the server cancels a statement; nil for sessions without a limit.
    package var statementTimeout: Duration? = .seconds(10)
    /// The time after which the server cancels a statement that is repeated separately after its flight failed.
    package var repetitionTimeout = Duration.seconds(1)
    /// The additional time after which a server counts as lost if it does not even report the cancellation.
    package var networkTimeout = Duration.seconds(2)
    /// The time within which a call gets a connection.
    package var acquireTimeout = Duration.seconds(10)
    /// The time within which a transaction that was undone may begin again; a failover should take less.
    package var retryTimeout = Duration.seconds(15)
    /// The time after which an unused connection is closed.
    package var idleTimeout = Duration.seconds(60)

    /// A function that receives the error when connections can no longer be made, and nil when they can be made again.
    ///
    /// It must not block.
    package var reportOutage: (@Sendable (PostgresError?) -> Void)?

    /// A function that receives the statements and the duration of each round trip; it must not block.
    package var reportRoundTrip: (@Sendable (_ statements: [[PostgresStatement]], _ duration: Duration) -> Void)?

    /// Creates a configuration.
    ///
    /// - Parameter connectionString: A URI or `keyword=value` pairs, as libpq accepts them. All of libpq's options are
    ///   allowed, such as several hosts, `target_session_attrs`, `sslmode` and `passfile`.
    package init(_ connectionString: String) { self.connectionString = connectionString }

    /// Returns the scheme of a connection string that is a URI; nil for any other text.
    package static func scheme(of text: String) -> String? {
        ["postgres://", "postgresql://"].first { text.utf8.starts(with: $0.utf8) }
    }

    /// A description without the connection string.
    package var description: String { "PostgresConfiguration(<redacted>, \(maximumConnections) connections)" }

    /// A mirror without the connection string.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
