// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
package import LatchHTTP
import LatchIdentityStorage

/// The question to a service whether a password is in a known leak, without showing it the password.
///
/// The service gets the first 5 of 40 hexadecimal digits of the SHA-1 digest, and returns the rest of all digests that
/// begin so: the interface of Have I Been Pwned (Pwned Passwords, "Searching by range").
package struct BreachedPasswords: Sendable {
    /// The time that the service has: a user waits for the new password.
    private static let patience = Duration.seconds(2)
    /// The maximum size of an answer, which has about a thousand lines.
    private static let maximumSize = 512 << 10

    private let url: String
    private let transport: any Handler
    private let metrics: Metrics

    /// Creates the question of a configuration; nil if it names no service.
    package init?(_ configuration: IdentityConfiguration, transport: any Handler, metrics: Metrics) {
        guard let url = configuration.breachedPasswordsURL else { return nil }
        self.url = String(url.withoutFinalSlash)
        self.transport = BoundedResponses(transport, maximumSize: Self.maximumSize, within: Self.patience)
        self.metrics = metrics
    }

    /// Returns whether a password is in a leak; false if the service does not answer.
    func contain(_ password: String) async -> Bool {
        let digits = Hex.encode(Array(Insecure.SHA1.hash(data: Array(password.utf8)))).utf8
        let digest = digits.map { $0 < UInt8(ascii: "a") ? $0 : $0 - 0x20 }
        let (start, rest) = (digest.prefix(5), digest.dropFirst(5))
        do {
            let target = try HTTPOrigin.split("\(url)/\(String(decoding: start, as: UTF8.self))")
            // Padding hides from the network which range was asked for.
            let request = HTTPRequest(
                method: .get, scheme: target.origin.scheme, authority: target.origin.authority, path: target.path,
                fields: ["Add-Padding": "true", .userAgent: "Latchwork"])
            let response = try await transport.respond(to: request)
            guard response.status == .ok else { throw HTTPError.unacceptableStatus }
            let lines = try await response.body.collected(upTo: Self.maximumSize).split(separator: UInt8(ascii: "\n"))
            metrics.count(.breachLookups, "answered")
            // Padding has a count of 0.
            return lines.contains { line in
                line.starts(with: rest) && line.dropFirst(rest.count).first == UInt8(ascii: ":")
                    && line.dropFirst(rest.count + 1).contains { (0x31...0x39).contains($0) }
            }
        } catch {
            // A user can set a password also while the service is down.
            metrics.count(.breachLookups, "failed")
            return false
        }
    }
}
