// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchJOSE
import LatchRPC

extension User {
    /// An account as its owner and those above see it; secrets have no field in it.
    init(_ full: FullAccount, withPreferences: Bool = true) {
        self.init(full.account)
        firstName = full.details.firstName
        lastName = full.details.lastName
        displayName = full.details.shownName.isEmpty ? displayName : full.details.shownName
        avatarUrl = full.details.avatarURL
        status = UserStatus(full.standing)
        updatedAt = full.updatedAt
        if let last = full.lastLoginAt { lastLoginAt = last }
        if withPreferences { preferences = UserPreferences(full.details.preferences) }
        profile = UserProfile(full.details.about)
    }

    /// An account without what it tells about itself.
    init(_ account: Account) {
        self.init()
        id = account.id
        email = account.email.text
        username = account.username?.text ?? ""
        displayName = account.name ?? ""
        role = UserRole(account.role)
        status = UserStatus(
            FullAccount(account: account, details: AccountDetails(), updatedAt: account.createdAt).standing)
        emailVerified = account.emailVerifiedAt != nil
        createdAt = account.createdAt
        permissions = account.permissions
    }
}

extension UserSession {
    /// A session as the device gets it; `expires_at` is the access token's.
    init(_ grant: SignIns.Grant, at now: Date) {
        self.init()
        id = grant.device.shownID
        userId = grant.accountID
        accessToken = grant.accessToken
        refreshToken = grant.refreshToken
        expiresAt = now.addingTimeInterval(grant.lifetime.inSeconds)
        createdAt = grant.device.createdAt
        deviceInfo = grant.device.name ?? ""
        ipAddress = grant.device.address ?? ""
        userAgent = grant.device.userAgent ?? ""
        isActive = true
    }
}

extension UserDevice {
    /// A device in a list; where to push is shown to its owner alone.
    init(_ device: Device, isOwn: Bool) {
        self.init()
        let traits = DeviceTraits(of: device)
        id = device.shownID
        name = device.name ?? [traits.browser, traits.system].filter { !$0.isEmpty }.joined(separator: ", ")
        type = traits.kind
        os = traits.system
        browser = traits.browser
        lastSeen = device.lastUsedAt
        isTrusted = device.factorAt != nil
        pushToken = isOwn ? device.pushToken ?? "" : ""
    }
}

extension UserPreferences {
    init(_ preferences: AccountDetails.Preferences) {
        self.init()
        language = preferences.language
        timezone = preferences.timeZone
        notificationsEnabled = preferences.notifications
        emailNotifications = preferences.emailNotifications
        pushNotifications = preferences.pushNotifications
        theme = preferences.theme
        disabledFeatures = preferences.disabledFeatures
    }
}

extension UserProfile {
    init(_ about: AccountDetails.About) {
        self.init()
        bio = about.bio
        phone = about.phone
        location = about.location
        website = about.website
        if let born = about.dateOfBirth { dateOfBirth = born }
        company = about.company
        jobTitle = about.jobTitle
        interests = about.interests
        socialLinks = about.links.map { SocialLink(platform: $0.platform, url: $0.url, isPublic: $0.isPublic) }
    }
}

extension UserStatistics {
    init(_ figures: AccountFigures) {
        self.init()
        totalUsers = Int32(clamping: figures.total)
        activeUsers = Int32(clamping: figures.active)
        verifiedUsers = Int32(clamping: figures.verified)
        newUsersToday = Int32(clamping: figures.newToday)
        newUsersThisWeek = Int32(clamping: figures.newThisWeek)
        newUsersThisMonth = Int32(clamping: figures.newThisMonth)
        verificationRate = figures.verificationRate
    }
}

extension UserRole {
    init(_ role: Role) {
        self =
            switch role {
            case .user: .user
            case .moderator: .moderator
            case .admin: .admin
            case .superAdmin: .superAdmin
            }
    }
}

extension UserStatus {
    init(_ standing: Standing) {
        self =
            switch standing {
            case .active: .active
            case .inactive: .inactive
            case .suspended: .suspended
            case .banned: .banned
            case .pendingVerification: .pendingVerification
            }
    }
}
