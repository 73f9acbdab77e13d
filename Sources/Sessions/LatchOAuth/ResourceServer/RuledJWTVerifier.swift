// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchJOSE

extension RemoteJWTVerifier {
    /// Creates a verifier of the access tokens that rules accept.
    ///
    /// The rules allow several issuers with common keys, several audiences, or certain clients.
    ///
    /// ```swift
    /// let keys = try RemoteKeySet(url: URL(string: "https://login.microsoftonline.com/common/discovery/v2.0/keys")!)
    /// let verifier = RemoteJWTVerifier(
    ///     keys: keys, algorithms: [.rs256],
    ///     accepting: .microsoft(tenants: ["9188040d-6c67-4c5b-b112-36a304b66dad"], audiences: ["notes-id", "api://notes"]))
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The issuers' keys.
    ///   - algorithms: The accepted algorithms.
    ///   - rules: The accepted issuers, audiences and clients.
    ///   - leeway: The tolerated difference between the clocks.
    ///   - clock: The clock for the tokens' times.
    public convenience init(
        keys: RemoteKeySet, algorithms: [SignatureAlgorithm], accepting rules: AccessTokenRules,
        leeway: Duration = .seconds(30), clock: WallClock = .system
    ) {
        self.init(keys: keys) { keys, _ in
            JWTVerifier(keys: keys, algorithms: algorithms, accepting: rules, leeway: leeway, clock: clock)
        }
    }
}
