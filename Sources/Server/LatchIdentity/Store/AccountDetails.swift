// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// What a person tells about themselves, and how they like to be treated; nothing of it decides anything.
package struct AccountDetails: Sendable, Hashable, Codable {
    package var firstName = ""
    package var lastName = ""
    /// What others see; the names make it where it is empty.
    package var displayName = ""
    /// An http or https address; empty where there is none.
    package var avatarURL = ""
    package var about = About()
    package var preferences = Preferences()
    /// When the terms were accepted at the sign-up; nil where nobody asked.
    package var termsAcceptedAt: Date?
    /// Whether news may be mailed.
    package var wantsNews = false

    /// Nothing told yet.
    package init() {}

    /// What others see: the display name or, where there is none, the first and the last name.
    package var shownName: String {
        guard displayName.isEmpty else { return displayName }
        return [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The longer part: a page about a person.
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

        package init() {}
    }

    /// A page of a person elsewhere.
    package struct Link: Sendable, Hashable, Codable {
        package var platform: String
        package var url: String
        package var isPublic: Bool

        package init(platform: String, url: String, isPublic: Bool) {
            (self.platform, self.url, self.isPublic) = (platform, url, isPublic)
        }
    }

    /// How a person likes to be treated.
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

        package init() {}
    }
}

extension AccountDetails: CustomStringConvertible, CustomReflectable {
    /// No name, no number: it is all about a person.
    package var description: String { "AccountDetails(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Which details are to change; nil leaves one as it is, the empty text takes it away.
package struct AccountDetailsChange: Sendable, Hashable {
    package var username: String?
    package var firstName: String?
    package var lastName: String?
    package var displayName: String?
    package var avatarURL: String?
    /// Replaced as a whole, as the message is in which it comes.
    package var about: AccountDetails.About?
    package var preferences: AccountDetails.Preferences?

    package init() {}

    /// The details with what is given put in.
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
