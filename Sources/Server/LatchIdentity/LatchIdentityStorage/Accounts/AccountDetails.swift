// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchFoundation

/// The profile and the preferences of a user.
///
/// Authorization never depends on them.
package struct AccountDetails: Sendable, Hashable, Codable {
    package var firstName = ""
    package var lastName = ""
    /// The display name; empty to use first and last name.
    package var displayName = ""
    /// An http or https URL; empty if there is none.
    package var avatarURL = ""
    package var about = About()
    package var preferences = Preferences()
    /// The time at which the user accepted the terms at the sign-up; nil if they did not.
    package var termsAcceptedAt: Date?
    /// Whether news may be mailed.
    package var wantsNews = false

    /// Creates empty details.
    package init() {}

    /// The display name or, if it is empty, the first and the last name.
    package var shownName: String {
        guard displayName.isEmpty else { return displayName }
        return [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The longer part of a profile.
    package struct About: Sendable, Hashable, Codable {
        package var bio = ""
        package var phone = ""
        package var location = ""
        package var website = ""
        package var dateOfBirth: Date?
        package var company = ""
        package var jobTitle = ""
        package var interests: [String] = []
        package var links: [Link] = []

        package init(
            bio: String = "", phone: String = "", location: String = "", website: String = "", dateOfBirth: Date? = nil,
            company: String = "", jobTitle: String = "", interests: [String] = [], links: [Link] = []
        ) {
            self.bio = bio
            self.phone = phone
            self.location = location
            self.website = website
            self.dateOfBirth = dateOfBirth
            self.company = company
            self.jobTitle = jobTitle
            self.interests = interests
            self.links = links
        }
    }

    /// A link to another site's profile of the user.
    package struct Link: Sendable, Hashable, Codable {
        package var platform: String
        package var url: String
        package var isPublic: Bool

        package init(platform: String, url: String, isPublic: Bool) {
            self.platform = platform
            self.url = url
            self.isPublic = isPublic
        }
    }

    /// The user's preferences.
    package struct Preferences: Sendable, Hashable, Codable {
        /// A language tag (RFC 5646), such as `de-CH`.
        package var language = ""
        /// A name of the time zone database, such as `Europe/Zurich`.
        package var timeZone = ""
        package var notifications = false
        package var emailNotifications = false
        package var pushNotifications = false
        package var theme = ""
        package var disabledFeatures: [String] = []

        package init(
            language: String = "", timeZone: String = "", notifications: Bool = false, emailNotifications: Bool = false,
            pushNotifications: Bool = false, theme: String = "", disabledFeatures: [String] = []
        ) {
            self.language = language
            self.timeZone = timeZone
            self.notifications = notifications
            self.emailNotifications = emailNotifications
            self.pushNotifications = pushNotifications
            self.theme = theme
            self.disabledFeatures = disabledFeatures
        }
    }
}

extension AccountDetails: Redacting {}

/// A change of details; nil keeps a field, and the empty text clears it.
package struct AccountDetailsChange: Sendable, Hashable {
    package var username: String?
    /// The name of the person, which apps show.
    package var name: String?
    /// Another spelling of the account's own address.
    ///
    /// An address with another key changes nothing here, since it must be proved by email.
    package var email: EmailAddress?
    package var firstName: String?
    package var lastName: String?
    package var displayName: String?
    package var avatarURL: String?
    /// The longer part, replaced as a whole.
    package var about: AccountDetails.About?
    package var preferences: AccountDetails.Preferences?

    package init(
        username: String? = nil, name: String? = nil, email: EmailAddress? = nil, firstName: String? = nil,
        lastName: String? = nil,
        displayName: String? = nil, avatarURL: String? = nil, about: AccountDetails.About? = nil,
        preferences: AccountDetails.Preferences? = nil
    ) {
        self.username = username
        self.name = name
        self.email = email
        self.firstName = firstName
        self.lastName = lastName
        self.displayName = displayName
        self.avatarURL = avatarURL
        self.about = about
        self.preferences = preferences
    }

    /// Returns the details with the given fields replaced.
    package func applied(to details: AccountDetails) -> AccountDetails {
        var details = details
        if let firstName { details.firstName = firstName }
        if let lastName { details.lastName = lastName }
        if let displayName { details.displayName = displayName }
        if let avatarURL { details.avatarURL = avatarURL }
        if let about { details.about = about }
        if let preferences { details.preferences = preferences }
        return details
    }
}
