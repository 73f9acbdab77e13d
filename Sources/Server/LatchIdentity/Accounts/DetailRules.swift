// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// What details may be: bounded, without control characters, and without addresses that a page would run.
enum DetailRules {
    /// Fills in nothing and repairs nothing: what does not fit is refused by its name, never with its value.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    static func check(_ details: AccountDetails, at now: Date) throws(IdentityError) {
        try line(details.firstName, "first_name", most: 100)
        try line(details.lastName, "last_name", most: 100)
        try line(details.displayName, "display_name", most: 200)
        try url(details.avatarURL, "avatar_url")
        try check(details.about, at: now)
        try check(details.preferences)
    }

    private static func check(_ about: AccountDetails.About, at now: Date) throws(IdentityError) {
        try text(about.bio, "bio", most: 4000)
        try line(about.location, "location", most: 200)
        try line(about.company, "company", most: 200)
        try line(about.jobTitle, "job_title", most: 200)
        try url(about.website, "website")
        // ITU E.164 and what people put between its digits; nothing is called here.
        let isNumber = about.phone.utf8.allSatisfy { "0123456789+-(). /".utf8.contains($0) }
        guard about.phone.utf8.count <= 40, isNumber else { throw refused("phone", "is no telephone number") }
        if let born = about.dateOfBirth {
            guard born <= now, born.timeIntervalSince1970 > -5_000_000_000 else {
                throw refused("date_of_birth", "is no birthday of anybody alive")
            }
        }
        guard about.interests.count <= 50, about.links.count <= 20 else {
            throw refused("profile", "has more than 50 interests or 20 links")
        }
        for interest in about.interests { try line(interest, "interests", most: 100) }
        for link in about.links {
            try line(link.platform, "social_links", most: 50)
            guard !link.url.isEmpty else { throw refused("social_links", "has a link without an address") }
            try url(link.url, "social_links")
        }
    }

    private static func check(_ preferences: AccountDetails.Preferences) throws(IdentityError) {
        // RFC 5646 §2.1: letters, digits and hyphens; §4.4.1 finds 35 enough.
        try word(preferences.language, "language", most: 35, also: "-")
        try word(preferences.timeZone, "timezone", most: 64, also: "/_+-")
        try word(preferences.theme, "theme", most: 32, also: "-_.")
        guard preferences.disabledFeatures.count <= 100 else {
            throw refused("disabled_features", "has more than 100 entries")
        }
        for feature in preferences.disabledFeatures {
            try word(feature, "disabled_features", most: 64, also: "-_.:/")
        }
    }

    /// One line: shown in lists, mails and logs, each of which has its own idea of a line break.
    private static func line(_ value: String, _ name: String, most: Int) throws(IdentityError) {
        try text(value, name, most: most, breaks: false)
    }

    private static func text(
        _ value: String, _ name: String, most: Int, breaks: Bool = true
    ) throws(IdentityError) {
        let isPlain = value.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control || (breaks && (scalar == "\n" || scalar == "\t"))
        }
        guard value.utf8.count <= most, isPlain else {
            throw refused(name, "is longer than \(most) bytes or holds control characters")
        }
    }

    private static func word(_ value: String, _ name: String, most: Int, also: String) throws(IdentityError) {
        let isWord = value.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || also.utf8.contains(byte)
        }
        guard value.utf8.count <= most, isWord else { throw refused(name, "holds something that is no word") }
    }

    /// `javascript:` and `data:` are addresses as well, and run in whoever's page shows them.
    private static func url(_ value: String, _ name: String) throws(IdentityError) {
        guard value.isEmpty || value.utf8.count <= 2048 && PublicURL.isLink(value) else {
            throw refused(name, "is no http or https address")
        }
    }

    private static func refused(_ name: String, _ what: String) -> IdentityError { .invalidInput("'\(name)' \(what)") }
}
