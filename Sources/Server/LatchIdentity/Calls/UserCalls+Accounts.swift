// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchRPC

extension UserCalls {
    /// One's own account, or that of somebody below one's own role.
    func getProfile(_ request: GetProfileRequest, context: CallContext) async throws -> User {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            let full = try await accounts.look(at: request.userId, for: bearer.account)
            var user = User(full, withPreferences: request.includePreferences)
            // Where somebody signs in from is for them, and for those who may end it.
            let isOwn = full.account.id == bearer.accountID
            if request.includeDevices, isOwn || bearer.account.role >= .admin {
                let devices = try await signIns.devices(of: full.account.id)
                user.devices = devices.map { UserDevice($0, isOwn: isOwn) }
            }
            return user
        }
    }

    /// Changes what is given.
    ///
    /// Another address is not there at once: both ends get a mail, and the answer still has the old one (attack E9). Only
    /// an account's owner can begin that.
    func updateProfile(_ request: UpdateProfileRequest, context: CallContext) async throws -> User {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            if let email = request.email, !email.isEmpty {
                guard request.userId == bearer.accountID else { throw .forbidden }
                try await accounts.changeEmail(of: bearer, to: email)
            }
            let change = AccountDetailsChange(request)
            return User(try await accounts.change(change, of: request.userId, by: bearer.accountID))
        }
    }

    func getUsers(_ request: GetUsersRequest, context: CallContext) async throws -> GetUsersResponse {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            var query = try AccountQuery(request)
            let cursors = ListCursor(pepper: parts.pepper)
            if !request.cursor.isEmpty { query.behind = try cursors.place(request.cursor, of: query) }
            let page = try await accounts.list(query, for: bearer.account)
            var answer = GetUsersResponse()
            answer.users = page.accounts.map { User($0) }
            answer.nextCursor = page.next.map { cursors.text($0, of: query) } ?? ""
            answer.hasMore = page.next != nil
            answer.totalCount = Int32(clamping: page.total)
            answer.totalIsMinimum = page.isTotalMinimum
            answer.statistics = UserStatistics(try await accounts.figures(for: bearer.account))
            return answer
        }
    }

    /// Whoever deletes themselves must have signed in just now: a session that was left open ends no account.
    func deleteUser(_ request: DeleteUserRequest, context: CallContext) async throws {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            if request.userId == bearer.accountID { try bearer.requireFresh(at: parts.clock.now) }
            let isGone = try await accounts.delete(
                request.userId, isFinal: request.hardDelete, by: bearer.accountID, because: request.reason)
            guard isGone else { throw .noSuchAccount }
        }
    }

    func getActiveDevices(
        _ request: GetActiveDevicesRequest, context: CallContext
    ) async throws -> GetActiveDevicesResponse {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            var answer = GetActiveDevicesResponse()
            answer.devices = try await signIns.devices(of: bearer.accountID).map { UserDevice($0, isOwn: true) }
            return answer
        }
    }

    func revokeDevice(_ request: RevokeDeviceRequest, context: CallContext) async throws {
        try await answering(bearer: context, request) { bearer, _ throws(IdentityError) in
            guard try await signIns.signOut(device: request.deviceId, of: bearer.accountID) else {
                throw .noSuchDevice
            }
        }
    }
}
