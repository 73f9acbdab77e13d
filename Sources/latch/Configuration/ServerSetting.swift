// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// The settings that are about sockets and files, and no business of the auth server's.
enum ServerSetting {
    /// In the order in which they are printed.
    ///
    /// None of them changes while the server runs.
    static let all: [Setting] = [
        Setting("listen", "127.0.0.1:8080", "where to listen, HOST:PORT; port 0 takes any free one") { text throws in
            _ = try ListenAddress(text)
        },
        Setting("store", "sqlite:latch.sqlite", "where accounts are kept, sqlite:PATH") { text throws in
            _ = try StoreLocation(text)
        },
        Setting("tls_certificate", "", "a PEM file with the certificate chain; serves https") { _ in },
        Setting("tls_key", "", "a PEM file with the certificate's private key") { _ in },
        .number("maximum_connections", 10_000, 1...1_000_000, "connections at once"),
        .number("maximum_connections_per_address", 2000, 1...1_000_000, "of them from one address"),
        .number("maximum_body_bytes", 1_048_576, 1024...1_073_741_824, "bytes of a request's content"),
        .number("maximum_call_bytes", 4_194_304, 1024...4_194_304, "the same of a call of the user service"),
        .number("shutdown_grace", 10, 0...3600, "seconds that requests may take to finish at the end"),
    ]
}

extension Setting {
    /// A setting whose text is tried by `check` and kept as text.
    fileprivate init(
        _ key: String, _ standard: String, _ summary: String, check: @escaping @Sendable (String) throws -> Void
    ) {
        self.init(
            key: key, summary: summary, isSecret: false, standard: standard,
            problem: { text in
                do {
                    try check(text)
                    return nil
                } catch {
                    return error
                }
            })
    }

    /// A whole number within bounds that the server can live with.
    ///
    /// Read by `Int`, so that no unit and no fraction passes; what is refused is named by key and bounds.
    fileprivate static func number(
        _ key: String, _ standard: Int, _ range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        Setting(key, String(standard), summary) { text throws in
            guard let number = Int(text), range.contains(number) else {
                throw CommandError.failed(
                    "The setting '\(key)' must be a whole number from \(range.lowerBound) to \(range.upperBound).",
                    hint: "'latch serve --print-config' shows all settings and their values.")
            }
        }
    }
}
