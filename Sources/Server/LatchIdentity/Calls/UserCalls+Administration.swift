// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchRPC

/// What is done to accounts of others; who may is decided in the store's transaction (attack K9).
extension UserCalls {
    /// A role opens what others have: whoever gives one has signed in just now, so that a session that was left open makes no
    /// administrators.
    func setUserRole(_ request: SetUserRoleRequest, context: CallContext) async throws -> User {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            guard let role = try Role(asked: request.role) else { throw .invalidInput("'role' is missing") }
            try bearer.requireFresh(at: parts.clock.now)
            guard try await accounts.setRole(of: request.userId, to: role, by: bearer.accountID) else {
                throw .noSuchAccount
            }
            return try await shown(request.userId, to: bearer)
        }
    }

    func setUserStatus(_ request: SetUserStatusRequest, context: CallContext) async throws -> User {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            let status = try Account.Status(asked: request.status)
            let isThere = try await accounts.setStatus(
                of: request.userId, to: status, by: bearer.accountID, because: request.reason)
            guard isThere else { throw .noSuchAccount }
            return try await shown(request.userId, to: bearer)
        }
    }

    func endUserSessions(
        _ request: EndUserSessionsRequest, context: CallContext
    ) async throws -> EndUserSessionsResponse {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            guard let count = try await accounts.endSessions(of: request.userId, by: bearer.accountID) else {
                throw .noSuchAccount
            }
            return EndUserSessionsResponse(endedSessions: Int32(clamping: count))
        }
    }

    /// One's own goes by a code of it, whoever one is: an administrator who sends their own id has to show one too.
    func removeTwoFactor(_ request: RemoveTwoFactorRequest, context: CallContext) async throws {
        try await answering(bearer: context, request) { bearer, origin throws(IdentityError) in
            let factors = SecondFactors(parts: parts)
            if request.userId.isEmpty || request.userId == bearer.accountID {
                guard !request.code.isEmpty else { throw .invalidInput("'code' is missing") }
                return try await factors.remove(code: request.code, bearer, from: origin)
            }
            try bearer.requireFresh(at: parts.clock.now)
            switch try await factors.remove(of: request.userId, by: bearer.accountID) {
            case true?: return
            case false?: throw .noSecondFactor
            case nil: throw .noSuchAccount
            }
        }
    }

    func regenerateRecoveryCodes(
        _ request: RegenerateRecoveryCodesRequest, context: CallContext
    ) async throws -> RegenerateRecoveryCodesResponse {
        try await answering(bearer: context, request) { bearer, origin throws(IdentityError) in
            let codes = try await SecondFactors(parts: parts).recoveryCodes(
                code: request.code, bearer, from: origin)
            return RegenerateRecoveryCodesResponse(recoveryCodes: codes)
        }
    }

    /// An account after a change, as whoever made it sees it.
    private func shown(_ id: String, to bearer: Bearer) async throws(IdentityError) -> User {
        User(try await accounts.look(at: id, for: bearer.account))
    }
}

extension Role {
    /// The role of a message; nil where none is named.
    ///
    /// - Throws: `IdentityError.invalidInput` for one that is not known.
    init?(asked role: UserRole) throws(IdentityError) {
        switch role {
        case .unspecified: return nil
        case .user: self = .user
        case .moderator: self = .moderator
        case .admin: self = .admin
        case .superAdmin: self = .superAdmin
        case .unrecognized: throw .invalidInput("the role is unknown")
        }
    }
}

extension Account.Status {
    /// The status of a message.
    ///
    /// Whether an address waits for its verification is seen and not set.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    fileprivate init(asked status: UserStatus) throws(IdentityError) {
        switch status {
        case .active: self = .active
        case .inactive: self = .disabled
        case .suspended: self = .suspended
        case .banned: self = .banned
        case .unspecified: throw .invalidInput("'status' is missing")
        case .pendingVerification, .unrecognized:
            throw .invalidInput("'status' cannot be set", hint: "Set active, inactive, suspended or banned.")
        }
    }
}
