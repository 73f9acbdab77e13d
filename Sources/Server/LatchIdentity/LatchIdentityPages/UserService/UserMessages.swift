// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchRPC

extension User {
    /// Creates the message of an account with its details.
    ///
    /// It has no fields for secrets.
    package init(_ full: FullAccount, withPreferences: Bool = true) {
        self.init(full.account)
        let details = full.details
        (firstName, lastName, avatarUrl) = (details.firstName, details.lastName, details.avatarURL)
        if !details.shownName.isEmpty { displayName = details.shownName }
        status = UserStatus(full.status)
        updatedAt = full.updatedAt
        if let last = full.lastLoginAt { lastLoginAt = last }
        if withPreferences { preferences = UserPreferences(details.preferences) }
        profile = UserProfile(details.about)
    }

    /// Creates the message of an account without its details.
    package init(_ account: Account) {
        self.init(
            id: account.id, email: account.email?.text ?? "", username: account.username?.text ?? "",
            displayName: account.name ?? "", role: UserRole(account.role), status: UserStatus(account.reportedStatus),
            emailVerified: account.emailVerifiedAt != nil, createdAt: account.createdAt,
            permissions: account.permissions)
    }
}

extension UserSession {
    /// Creates the session of issued tokens; `expires_at` is the access token's.
    init(_ issued: IssuedTokens, at now: Date) {
        let device = issued.device
        self.init(
            id: device.publicID, userId: issued.accountID, accessToken: issued.accessToken,
            refreshToken: issued.refreshToken, expiresAt: now.addingTimeInterval(issued.lifetime.inSeconds),
            createdAt: device.createdAt, deviceInfo: device.name ?? "", ipAddress: device.address ?? "",
            userAgent: device.userAgent ?? "", isActive: true)
    }
}

extension UserDevice {
    init(_ device: Device) {
        let agent = UserAgentDescription(of: device)
        self.init(
            id: device.publicID,
            name: device.name ?? [agent.browser, agent.system].filter { !$0.isEmpty }.joined(separator: ", "),
            type: agent.formFactor, os: agent.system, browser: agent.browser, lastSeen: device.lastUsedAt,
            isTrusted: device.factorAt != nil)
    }
}

extension UserPreferences {
    init(_ preferences: AccountDetails.Preferences) {
        self.init(
            language: preferences.language, timezone: preferences.timeZone,
            notificationsEnabled: preferences.notifications, emailNotifications: preferences.emailNotifications,
            pushNotifications: preferences.pushNotifications, theme: preferences.theme,
            disabledFeatures: preferences.disabledFeatures)
    }
}

extension UserProfile {
    init(_ about: AccountDetails.About) {
        self.init(
            bio: about.bio, phone: about.phone, location: about.location, website: about.website,
            dateOfBirth: about.dateOfBirth, company: about.company, jobTitle: about.jobTitle,
            interests: about.interests,
            socialLinks: about.links.map { SocialLink(platform: $0.platform, url: $0.url, isPublic: $0.isPublic) })
    }
}

extension UserStatistics {
    init(_ statistics: AccountStatistics) {
        self.init(
            totalUsers: Int32(clamping: statistics.total), activeUsers: Int32(clamping: statistics.active),
            verifiedUsers: Int32(clamping: statistics.verified), newUsersToday: Int32(clamping: statistics.newToday),
            newUsersThisWeek: Int32(clamping: statistics.newThisWeek),
            newUsersThisMonth: Int32(clamping: statistics.newThisMonth),
            verificationRate: statistics.verificationRate)
    }
}

extension UserRole {
    package init(_ role: Role) {
        self =
            switch role {
            case .user: .user
            case .moderator: .moderator
            case .admin: .admin
            case .superAdmin: .superAdmin
            }
    }
}

extension Role {
    /// Creates the role of a message; nil if it is unspecified.
    ///
    /// - Throws: `IdentityError.invalidInput` for an unknown role.
    package init?(_ message: UserRole) throws(IdentityError) {
        if message == .unspecified { return nil }
        guard let role = Self.allCases.first(where: { UserRole($0) == message }) else {
            throw .invalidInput("the role is unknown")
        }
        self = role
    }
}

extension UserStatus {
    package init(_ status: AccountStatus) {
        self =
            switch status {
            case .active: .active
            case .inactive: .inactive
            case .suspended: .suspended
            case .banned: .banned
            case .pendingVerification: .pendingVerification
            }
    }
}

extension Account.Status {
    /// Creates the status of a message.
    ///
    /// A pending verification cannot be set.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    package init(_ message: UserStatus) throws(IdentityError) {
        switch message {
        case .active: self = .active
        case .inactive: self = .disabled
        case .suspended: self = .suspended
        case .banned: self = .banned
        case .unspecified: throw .missing("status")
        case .pendingVerification, .unrecognized:
            throw .invalid("status", "cannot be set", hint: "Set active, inactive, suspended or banned.")
        }
    }
}

extension AccountDetailsChange {
    /// Creates the change of a request.
    ///
    /// Absent fields stay unchanged.
    package init(_ request: UpdateProfileRequest) {
        self.init(
            username: request.username, firstName: request.firstName, lastName: request.lastName,
            displayName: request.displayName, avatarURL: request.avatarUrl,
            about: request.profile.map(AccountDetails.About.init),
            preferences: request.preferences.map(AccountDetails.Preferences.init))
    }
}

extension AccountDetails.Preferences {
    fileprivate init(_ message: UserPreferences) {
        self.init(
            language: message.language, timeZone: message.timezone, notifications: message.notificationsEnabled,
            emailNotifications: message.emailNotifications, pushNotifications: message.pushNotifications,
            theme: message.theme, disabledFeatures: message.disabledFeatures)
    }
}

extension AccountDetails.About {
    fileprivate init(_ message: UserProfile) {
        self.init(
            bio: message.bio, phone: message.phone, location: message.location, website: message.website,
            dateOfBirth: message.hasDateOfBirth ? message.dateOfBirth : nil, company: message.company,
            jobTitle: message.jobTitle, interests: message.interests,
            links: message.socialLinks.map { .init(platform: $0.platform, url: $0.url, isPublic: $0.isPublic) })
    }
}

extension AccountQuery {
    /// Creates the query of a request.
    ///
    /// Empty, zero and `UNSPECIFIED` fields have their default meaning.
    ///
    /// - Throws: `IdentityError.invalidInput` for unknown values, since a wrongly filtered list is worse than an error.
    package init(_ request: GetUsersRequest) throws(IdentityError) {
        self.init()
        guard request.limit >= 0 else { throw .invalidInput("'limit' is negative") }
        if request.limit > 0 { limit = Int(request.limit) }
        search = request.searchQuery
        if !request.sortField.isEmpty {
            guard let known = Sort(rawValue: request.sortField) else {
                let names = Sort.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidInput("'sort_field' is unknown", hint: "Sort by one of \(names).")
            }
            sort = known
        }
        isAscending = request.sortAscending
        role = try Role(request.roleFilter)
        status = try Self.status(request.statusFilter)
        isVerified = try Self.isVerified(request)
        createdAfter = request.hasCreatedAfter ? request.createdAfter : nil
        createdBefore = request.hasCreatedBefore ? request.createdBefore : nil
    }

    /// Returns the filter of both fields.
    ///
    /// The flag has no presence, so false means no filter.
    private static func isVerified(_ request: GetUsersRequest) throws(IdentityError) -> Bool? {
        switch request.verificationFilter {
        case .unspecified: return request.emailVerifiedFilter ? true : nil
        case .verified: return true
        case .unverified where request.emailVerifiedFilter:
            throw .invalidInput("'email_verified_filter' and 'verification_filter' contradict each other")
        case .unverified: return false
        case .unrecognized: throw .invalidInput("'verification_filter' is unknown")
        }
    }

    private static func status(_ filter: UserStatus) throws(IdentityError) -> AccountStatus? {
        if filter == .unspecified { return nil }
        guard let status = AccountStatus.allCases.first(where: { UserStatus($0) == filter }) else {
            throw .invalidInput("'status_filter' is unknown")
        }
        return status
    }
}
