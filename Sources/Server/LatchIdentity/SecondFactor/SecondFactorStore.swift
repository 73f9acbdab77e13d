// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The storage of second factors, recovery codes and login challenges.
package protocol SecondFactorStore: Sendable {
    /// Returns the confirmed factor, or the one whose setup has begun; nil if there is none.
    func secondFactor(of accountID: String, isConfirmed: Bool) async throws(IdentityError) -> SecondFactor?

    /// Begins the setup of a factor with its recovery codes; replaces an earlier unconfirmed one.
    func begin(_ factor: SecondFactor, recoveryDigests: [[UInt8]]) async throws(IdentityError)

    /// Confirms the factor whose setup has begun, and signs out every device except this one.
    func confirmFactor(
        of accountID: String, proof: SecondFactorProof, on device: [UInt8], at now: Date
    ) async throws(IdentityError) -> VerificationResult

    /// Verifies a proof and records the result: an accepted code is used up, a wrong one is counted.
    ///
    /// - Parameter challenge: The digest of the challenge that an accepted proof ends, if any.
    func prove(
        _ proof: SecondFactorProof, of accountID: String, ending challenge: [UInt8]?, at now: Date
    ) async throws(IdentityError) -> VerificationResult

    /// Verifies a proof and, if it is accepted, removes the factor with all recovery codes.
    func removeFactor(
        of accountID: String, proof: SecondFactorProof, at now: Date
    ) async throws(IdentityError) -> VerificationResult

    /// Removes the factor of another account without a proof, and signs out all devices of that account.
    ///
    /// - Returns: Whether there was a factor; nil if there is no such account.
    func removeFactor(of accountID: String, by actor: String?, at now: Date) async throws(IdentityError) -> Bool?

    /// Verifies a proof and, if it is accepted, replaces all recovery codes.
    func replaceRecoveryCodes(
        of accountID: String, by digests: [[UInt8]], proof: SecondFactorProof, at now: Date
    ) async throws(IdentityError) -> VerificationResult

    /// Returns the number of unused recovery codes.
    func recoveryCodeCount(of accountID: String) async throws(IdentityError) -> Int

    /// Inserts a challenge; only the newest ten of an account are kept.
    func insert(_ challenge: LoginChallenge) async throws(IdentityError)

    /// Returns a challenge by its digest; nil if there is none, or it has expired.
    func challenge(_ digest: [UInt8], at now: Date) async throws(IdentityError) -> LoginChallenge?
}
