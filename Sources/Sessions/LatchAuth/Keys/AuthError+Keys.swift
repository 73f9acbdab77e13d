// SPDX-License-Identifier: Apache-2.0

extension AuthError {
    /// The keys of an issuer could not be fetched, and none are there that may still be used.
    ///
    /// It says nothing about the token: another moment may bring another answer.
    public static let keysUnavailable = AuthError(
        code: "keysUnavailable", message: "The issuer's keys could not be fetched.",
        hint: "The cause says what failed; check the address of the key set and the way to it.")

    /// Names the address, without its query.
    static func keysUnavailable(at place: String) -> AuthError {
        AuthError(
            code: keysUnavailable.code, message: "The issuer's keys could not be fetched (\(place)).",
            hint: keysUnavailable.hint)
    }
}
