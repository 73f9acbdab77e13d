// SPDX-License-Identifier: Apache-2.0

internal import CLatchPostgres
import LatchFoundation

/// The security-relevant parts of a connection string; libpq parses the string itself.
struct ConnectionString: Sendable {
    let text: String
    /// The password in the string, to check that no message repeats it.
    let password: String?
    /// Whether every named host is this machine, through a Unix socket or a loopback address.
    let isLocal: Bool

    /// Parses a string.
    ///
    /// - Throws: `PostgresError.malformedConnectionString`. The error never quotes libpq's message: a password with an
    ///   unescaped delimiter turns a part of itself into a host, a port or a parameter.
    init(
        _ text: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(PostgresError) {
        guard latch_postgres_is_available() else { throw .libraryMissing }
        guard Self.hasUnambiguousAuthority(text), !text.utf8.contains(0) else { throw .malformedConnectionString }
        var message: UnsafeMutablePointer<CChar>?
        let parsed = PQconninfoParse(text, &message)
        defer {
            PQconninfoFree(parsed)
            PQfreemem(message)
        }
        guard var option = parsed else { throw .malformedConnectionString }
        var values: [String: String] = [:]
        while let keyword = option.pointee.keyword {
            values[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
            option += 1
        }
        self.text = text
        password = values["password"]
        // Each address replaces the host at the same position; libpq looks up a missing address by its host.
        let addresses = Self.hosts(values["hostaddr"] ?? environment["PGHOSTADDR"])
        let hosts = Self.hosts(values["host"] ?? environment["PGHOST"])
        isLocal =
            values["service"] == nil && environment["PGSERVICE"] == nil && addresses.allSatisfy(Self.isLocal)
            && (!addresses.contains("") || hosts.allSatisfy(Self.isLocal))
    }

    /// The options with which libpq connects, in its order: a later option overrides an earlier one.
    ///
    /// The defaults come before the string. libpq's own default for `sslmode` is `prefer`, which verifies nothing, and
    /// lets an attacker disable TLS. Here a server on another machine must prove its name unless the string says
    /// otherwise.
    func options(connectTimeout: Duration) -> [(keyword: String, value: String)] {
        var options: [(keyword: String, value: String)] = [
            ("connect_timeout", String(max(2, connectTimeout.components.seconds))),
            ("fallback_application_name", PostgresConfiguration.applicationName),
            ("target_session_attrs", "read-write"),
            // With keepalives, the kernel also notices a server that has silently disappeared.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            // This limit also applies to data that was sent and never received; keepalives need an idle connection.
            ("tcp_user_timeout", "25000"),
        ]
        if !isLocal { options.append(("sslmode", "verify-full")) }
        options.append(("dbname", text))
        options.append(("client_encoding", "UTF8"))
        return options
    }

    /// Returns libpq's message on one line, without advice and final period; nil if it repeats the password.
    func redacted(_ message: String) -> String? {
        let lines = message.utf8.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "\t") }
        var text = lines.map { String(Substring($0)) }.joined(separator: "; ")
        if text.utf8.last == UInt8(ascii: ".") { text.removeLast() }
        guard let password, !password.isEmpty else { return text }
        return Array(text.utf8).contains(Array(password.utf8)) ? nil : text
    }

    /// Whether no part of a URI's password can be parsed as its host, port or path.
    ///
    /// libpq ends the user and the password at the first `@`, and the authority at the first `/`. A password that
    /// contains either character would show up as the name of a host or a database, in messages and on the wire.
    private static func hasUnambiguousAuthority(_ text: String) -> Bool {
        let sign = UInt8(ascii: "@")
        guard let scheme = PostgresConfiguration.scheme(of: text) else { return true }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        let host = authority.firstIndex(of: sign).map { rest[$0...].dropFirst() } ?? rest
        return !host.prefix { $0 != UInt8(ascii: "?") }.contains(sign)
    }

    /// Returns the entries of a list of hosts, or one empty entry if the list is missing.
    private static func hosts(_ list: String?) -> [String] {
        (list ?? "").utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// An empty host means libpq's default, a Unix socket.
    private static func isLocal(_ host: String) -> Bool {
        host.utf8.first.map { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "@") } ?? true
            || ["localhost", "127.0.0.1", "::1"].contains(host)
    }
}
