// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchRPC

extension AccountDetailsChange {
    /// What the request gives, and nothing of what it does not.
    init(_ request: UpdateProfileRequest) {
        self.init()
        username = request.username
        firstName = request.firstName
        lastName = request.lastName
        displayName = request.displayName
        avatarURL = request.avatarUrl
        preferences = request.preferences.map(AccountDetails.Preferences.init)
        about = request.profile.map(AccountDetails.About.init)
    }
}

extension AccountDetails.Preferences {
    fileprivate init(_ message: UserPreferences) {
        self.init()
        language = message.language
        timeZone = message.timezone
        notifications = message.notificationsEnabled
        emailNotifications = message.emailNotifications
        pushNotifications = message.pushNotifications
        theme = message.theme
        disabledFeatures = message.disabledFeatures
    }
}

extension AccountDetails.About {
    fileprivate init(_ message: UserProfile) {
        self.init()
        bio = message.bio
        phone = message.phone
        location = message.location
        website = message.website
        dateOfBirth = message.hasDateOfBirth ? message.dateOfBirth : nil
        company = message.company
        jobTitle = message.jobTitle
        interests = message.interests
        links = message.socialLinks.map { .init(platform: $0.platform, url: $0.url, isPublic: $0.isPublic) }
    }
}

extension AccountQuery {
    /// What a request asks for; nothing, zero and `UNSPECIFIED` leave a choice to the server.
    ///
    /// - Throws: `IdentityError.invalidInput` for what is not known: a list that is filtered otherwise than asked for is
    ///   worse than none.
    init(_ request: GetUsersRequest) throws(IdentityError) {
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
        role = try Role(asked: request.roleFilter)
        standing = try Self.standing(request.statusFilter)
        isVerified = try Self.isVerified(request)
        createdAfter = request.hasCreatedAfter ? request.createdAfter : nil
        createdBefore = request.hasCreatedBefore ? request.createdBefore : nil
    }

    /// A flag without presence cannot ask for those that are not verified: false is no filter, and another field asks.
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

    private static func standing(_ filter: UserStatus) throws(IdentityError) -> Standing? {
        switch filter {
        case .unspecified: return nil
        case .active: return .active
        case .inactive: return .inactive
        case .suspended: return .suspended
        case .banned: return .banned
        case .pendingVerification: return .pendingVerification
        case .unrecognized: throw .invalidInput("'status_filter' is unknown")
        }
    }
}
