// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The routes with which administrators and their programs end the devices and the credentials of an account.
package struct CredentialAdministrationRoutes: Sendable {
    package let administration: AdministrationService
    package let access: AdministrationAccess

    package init(administration: AdministrationService, access: AdministrationAccess) {
        (self.administration, self.access) = (administration, access)
    }

    /// Adds the routes.
    package func add(to router: inout Router) {
        router.group(prefix: "/api/admin/users/{id}", interceptors: access.limiting(.token)) { user in
            user.post("/unlock", .unlockUser, unlock)
            user.delete("/devices", .signOutUser, signOut)
            user.delete("/devices/{device}", .signOutUserDevice, signOutDevice)
            user.delete("/second-factor", .deleteUserSecondFactor, removeFactor)
            user.delete("/passkeys", .deleteUserPasskeys, removePasskeys)
            user.delete("/passkeys/{passkey}", .deleteUserPasskey, removePasskey)
            user.delete("/links/{provider}", .deleteUserLink, removeLink)
        }
        // These emails have the limits of those that users request.
        router.group(prefix: "/api/admin/users/{id}", interceptors: access.limiting(.mail)) { mails in
            mails.post("/reset-password", .mailPasswordReset, mailReset)
        }
    }

    @Sendable private func unlock(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        guard try await administration.unlock(request.userID, by: caller.actor) else {
            throw IdentityError.noSuchAccount
        }
        return .removed
    }

    /// Emails the owner of another account a link that sets a new password.
    @Sendable private func mailReset(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        guard try await administration.mailReset(of: request.userID, by: caller.actor) else {
            throw IdentityError.noSuchAccount
        }
        return .message("An email with a link is on its way.")
    }

    @Sendable private func signOut(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        guard let count = try await administration.endSessions(of: request.userID, by: caller.actor) else {
            throw IdentityError.noSuchAccount
        }
        return .json(["devices": .integer(Int64(count))])
    }

    @Sendable private func signOutDevice(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let device = request.pathParameter("device") ?? ""
        guard try await administration.endSession(ofDevice: device, of: request.userID, by: caller.actor) else {
            throw IdentityError.noSuchDevice
        }
        return .removed
    }

    @Sendable private func removeFactor(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        return try Self.removed(
            try await administration.removeFactor(of: request.userID, by: caller.actor), orThrow: .noSecondFactor)
    }

    @Sendable private func removePasskeys(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let wereThere = try await administration.removePasskeys(
            of: request.userID, by: caller.actor, because: try request.reason())
        return try Self.removed(wereThere, orThrow: .noSuchPasskey)
    }

    @Sendable private func removePasskey(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let wasThere = try await administration.removePasskey(
            request.pathParameter("passkey") ?? "", of: request.userID, by: caller.actor,
            because: try request.reason())
        return try Self.removed(wasThere, orThrow: .noSuchPasskey)
    }

    @Sendable private func removeLink(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let wasThere = try await administration.removeLink(
            to: request.pathParameter("provider") ?? "", of: request.userID, by: caller.actor,
            because: try request.reason())
        return try Self.removed(wasThere, orThrow: .notLinked)
    }

    /// - Parameter wasThere: Nil if the account does not exist.
    private static func removed(
        _ wasThere: Bool?, orThrow error: IdentityError
    ) throws(IdentityError) -> HTTPResponse {
        guard let wasThere else { throw .noSuchAccount }
        guard wasThere else { throw error }
        return .removed
    }
}

extension HTTPRequest {
    /// The ID of the account in the path.
    var userID: String { pathParameter("id") ?? "" }

    /// Returns the note for the audit log, which a content may have.
    func reason() throws(IdentityError) -> String {
        try jsonObject(isOptional: true).optionalText("reason") ?? ""
    }
}
