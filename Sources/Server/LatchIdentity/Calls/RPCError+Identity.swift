// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC

extension CallContext {
    /// Carries the stable code of an error, since the sixteen words of calls are few.
    static let codeField: HTTPFieldName = "latch-code"

    /// An error as a caller may see it: its own mistakes in full, the server's own only by the fact.
    ///
    /// What it says beside its message goes before the answer, where HTTP has the fields for it.
    func failure(_ error: IdentityError) -> RPCError {
        let status = RPCCode(error)
        let told = status != .unavailable || error.isToldToClients ? error : .unavailable
        answerMetadata[Self.codeField] = told.code
        if let wait = error.retryAfter {
            answerMetadata[.retryAfter] = String(max(Int(wait.inSeconds.rounded(.up)), 1))
        }
        // Connect answers 401, and RFC 9110 §15.5.2 asks for a challenge with each.
        if status == .unauthenticated { answerMetadata[.wwwAuthenticate] = error.challenge }
        return RPCError(status, told.hint.map { "\(told.message) \($0)" } ?? told.message)
    }
}

extension RPCCode {
    /// What is not named here is the server's own: `unavailable`, which clients repeat.
    fileprivate init(_ error: IdentityError) {
        self =
            switch error.code {
            case IdentityError.invalidInput.code, IdentityError.weakPassword.code, IdentityError.invalidLink.code,
                IdentityError.invalidScope.code:
                .invalidArgument
            case IdentityError.invalidCredentials.code, IdentityError.invalidToken.code,
                IdentityError.invalidGrant.code, IdentityError.invalidCode.code:
                .unauthenticated
            case IdentityError.forbidden.code, IdentityError.insufficientScope.code, IdentityError.signInAgain.code:
                .permissionDenied
            case IdentityError.alreadyExists.code: .alreadyExists
            case IdentityError.noSuchAccount.code, IdentityError.noSuchDevice.code: .notFound
            case IdentityError.lastAdministrator.code, IdentityError.noSecondFactor.code,
                IdentityError.secondFactorRequired.code:
                .failedPrecondition
            case IdentityError.tooManyAttempts.code: .resourceExhausted
            default: .unavailable
            }
    }
}

extension IdentityError {
    /// The account has no such device that is signed in.
    static let noSuchDevice = IdentityError(code: "noSuchDevice", message: "There is no such device.")
}
