// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage

/// A service that starts sessions, the last step of every sign-in.
///
/// A session is a device of the account.
package struct SessionService: Sendable {
    package let store: IdentityStore
    package let clock: WallClock
    package let dates: DateCheck
    package let random: RandomSource
    package let limits: RateLimits
    /// Whether owners get an email about a sign-in on a new device.
    package let notifiesOfNewDevices: Bool
    package let firstAdministrator: FirstAdministratorRule

    package init(
        store: IdentityStore, clock: WallClock, dates: DateCheck, random: RandomSource, limits: RateLimits,
        notifiesOfNewDevices: Bool, firstAdministrator: FirstAdministratorRule
    ) {
        self.store = store
        self.clock = clock
        self.dates = dates
        self.random = random
        self.limits = limits
        self.notifiesOfNewDevices = notifiesOfNewDevices
        self.firstAdministrator = firstAdministrator
    }

    /// A function that inserts a device under further conditions, and throws if they do not hold.
    package typealias DeviceInsertion = (_ device: Device, _ account: Account) async throws(IdentityError) -> Void

    /// Starts a session, and returns the credentials that were issued for it.
    ///
    /// The credentials are issued before the row is written, so that a failed signature leaves no unusable device
    /// behind. The store inserts the row only if the account has not changed since the proof. A reset or the enrollment
    /// of a second factor may have come in between.
    ///
    /// - Parameters:
    ///   - clientID: The `client_id` of the device; nil for the server's own client.
    ///   - details: The conditions of the grant.
    ///   - browser: The first device of the browser's session in which the user signs in; nil without one.
    ///   - notifies: Whether the client is told when the session ends.
    ///   - lifetime: The time in seconds after which the session ends.
    ///   - deviceID: The ID of the device; nil for a random one.
    ///   - insert: Inserts the device together with the record that it is exchanged for; nil for only the device.
    ///   - issue: Returns the credentials of the device.
    /// - Throws: `IdentityError.tooManyAttempts`, `.doubtfulDate`, `.invalidCredentials` if the account has changed, or
    ///   the errors of `insert`, of `issue` and of the store.
    package func start<Credentials>(
        _ proof: AdmittedProof, for clientID: String?, scope: String, details: GrantDetails = GrantDetails(),
        in browser: [UInt8]? = nil, notifying notifies: Bool = false, lifetime: TimeInterval,
        from origin: RequestOrigin, as deviceID: [UInt8]? = nil,
        inserting insert: DeviceInsertion?,
        issuing issue: (_ device: Device, _ account: Account) throws(IdentityError) -> Credentials
    ) async throws(IdentityError) -> Credentials {
        try dates.require()
        try limits.take([limits.session(accountID: proof.account.id)])
        let account = try await firstAdministrator.promoting(proof.account)
        let now = clock.now
        var device = Device(
            id: deviceID ?? random.bytes(16), accountID: account.id, clientID: clientID, scope: scope,
            secret: random.bytes(32),
            createdAt: now, lastUsedAt: now, expiresAt: now.addingTimeInterval(lifetime),
            userAgent: origin.userAgent?.sanitized(200), address: origin.address,
            name: origin.deviceName?.sanitized(200), factorAt: proof.factorAt, authenticatedAt: proof.authenticatedAt,
            details: details, browserDevice: browser, notifies: notifies)
        // A client in the session of a browser belongs to the device of the browser.
        if browser == nil || clientID == Device.pagesClientID, try await isTold(of: device, account) {
            // Not in the language of the request, which may be a thief's.
            device.notice = MailCause(address: origin.mailCause.address, userAgent: device.userAgent)
        }
        let credentials = try issue(device, account)
        if let insert {
            try await insert(device, account)
        } else {
            guard try await store.insert(device, for: account) else { throw .invalidCredentials }
        }
        return credentials
    }

    /// Returns whether the owner gets an email about a device: only at a proved address, and few in an hour.
    private func isTold(of device: Device, _ account: Account) async throws(IdentityError) -> Bool {
        guard notifiesOfNewDevices, account.emailVerifiedAt != nil, try await store.isNew(device) else { return false }
        return limits.rejection(taking: [limits.mail(.newDevice, emailKey: account.ownerKey)]) == nil
    }
}

/// The rule that makes the account of the setting `first_administrator` the first administrator.
package struct FirstAdministratorRule: Sendable {
    /// The address of the setting; nil for none.
    package let email: String?
    package let administration: AdministrationService

    package init(email: String?, administration: AdministrationService) {
        self.email = email
        self.administration = administration
    }

    /// Makes an account the first administrator at a sign-in, once its owner has proved both the address and the
    /// password.
    ///
    /// Neither a session from before that proof nor a verified address is enough: a stranger may have signed up with
    /// the address (attack E8). The method does nothing if another account can sign in and administer the server. The
    /// setting is for the first start, and does not reinstate a dismissed administrator.
    ///
    /// - Returns: The account with its current role.
    func promoting(_ account: Account) async throws(IdentityError) -> Account {
        guard let email, account.role < .superAdmin, account.ownerProvedAt != nil else { return account }
        let key = try EmailAddress(email).key
        guard account.email?.key == key else { return account }
        // Decided in the transaction, so that only one of two sign-ins promotes.
        let promoted = try await administration.perform(
            .setRole(.superAdmin), on: account.id, by: nil, because: "the setting first_administrator"
        ) { context in
            guard !context.hasOtherAdministrator, let target = context.target, !target.isAdministrator else {
                return false
            }
            return target.email?.key == key && target.credentialVersion == account.credentialVersion
                && target.ownerProvedAt != nil && target.status == .active
        }
        // The role is all that may differ from the account of the proof: any other change refuses the session.
        guard promoted != nil, let current = try await administration.store.account(id: account.id),
            current.credentialVersion == account.credentialVersion
        else { return account }
        return current
    }
}
