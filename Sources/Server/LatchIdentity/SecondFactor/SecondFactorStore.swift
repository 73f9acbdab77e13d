// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The storage of second factors, recovery codes and login challenges.
package protocol SecondFactorStore: Sendable {
    /// Returns the confirmed factor, or the one whose setup has begun; nil if there is none.
    func secondFactor(of accountID: String, isConfirmed: Bool) async throws(IdentityError) -> SecondFactor?

    /// Begins the setup of a factor with its recovery codes; replaces an earlier unconfirmed one.
    ///
    /// - Returns: False if the account's credentials have changed since `account` was read.
    func begin(
        _ factor: SecondFactor, recoveryDigests: [[UInt8]], for account: Account
    ) async throws(IdentityError) -> Bool

    /// Verifies a proof, applies the effects of its purpose if it is accepted, and records the result: an accepted code is
    /// used up, a wrong one is counted.
    func prove(
        _ proof: SecondFactorProof, of accountID: String, for purpose: SecondFactorPurpose, at now: Date
    ) async throws(IdentityError) -> VerificationResult

    /// Inserts a challenge; only the newest ten of an account are kept.
    ///
    /// - Returns: False if the credentials have changed since `account` was read, such as by a factor that was confirmed.
    func insert(_ challenge: LoginChallenge, for account: Account) async throws(IdentityError) -> Bool

    /// Returns a challenge by its digest; nil if there is none, or it has expired.
    func challenge(_ digest: [UInt8], at now: Date) async throws(IdentityError) -> LoginChallenge?

    /// Removes and returns a challenge that needs no proof; nil if there is none, or it has expired.
    func takeChallenge(_ digest: [UInt8], at now: Date) async throws(IdentityError) -> LoginChallenge?
}
