// SPDX-License-Identifier: Apache-2.0

package import LatchCrypto

/// The cost parameters of the stored password hashes, with the number of hashes that have them.
///
/// A verification takes as long as the stored hash requires. So a name without an account gets the parameters of one of
/// the accounts. Otherwise a change of the cost would make the two differ in time (attacks D1 and D11).
package struct PasswordCosts: Sendable {
    /// The parameters in PHC form, such as `m=19456,t=2,p=1`, in a fixed order, and their counts.
    ///
    /// For hashes of other systems, they begin with the function: `bcrypt,cost=12,s=22,d=31,k=0`.
    package let counts: [(parameters: String, count: Int)]

    package init(counts: [(parameters: String, count: Int)]) {
        self.counts = counts
    }

    /// Returns the parameters for a name: as frequent among names as among accounts, and the same for each attempt.
    ///
    /// - Parameter key: A secret key, so that no attacker can compute which names should be fast.
    package func parameters(for name: String, key: SymmetricKey) -> String? {
        let code = HMAC<SHA256>.authenticationCode(for: Array(name.utf8), using: key)
        let fraction = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let total = counts.reduce(0) { $0 + max($1.count, 0) }
        var position = Int(UInt64(total).multipliedFullWidth(by: fraction).high)
        for (parameters, count) in counts {
            if position < count { return parameters }
            position -= max(count, 0)
        }
        return nil
    }
}
