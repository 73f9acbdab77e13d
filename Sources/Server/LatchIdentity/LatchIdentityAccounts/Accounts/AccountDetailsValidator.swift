// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchIdentityStorage

/// A validator of account details: bounds, no control characters, and no URLs that run scripts.
enum AccountDetailsValidator {
    /// Checks all details; an error names the field, never its value.
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
        try line(about.bio, "bio", most: 4000, exceptFor: "\n\t")
        try line(about.location, "location", most: 200)
        try line(about.company, "company", most: 200)
        try line(about.jobTitle, "job_title", most: 200)
        try url(about.website, "website")
        // ITU E.164, with common separators.
        let isNumber = about.phone.utf8.allSatisfy { "0123456789+-(). /".utf8.contains($0) }
        guard about.phone.utf8.count <= 40, isNumber else { throw invalid("phone", "is not a telephone number") }
        if let born = about.dateOfBirth {
            guard born <= now, born.timeIntervalSince1970 > -5_000_000_000 else {
                throw invalid("date_of_birth", "is not a valid date of birth")
            }
        }
        guard about.interests.count <= 50, about.links.count <= 20 else {
            throw invalid("profile", "has more than 50 interests or 20 links")
        }
        for interest in about.interests { try line(interest, "interests", most: 100) }
        for link in about.links {
            try line(link.platform, "social_links", most: 50)
            guard !link.url.isEmpty else { throw invalid("social_links", "has a link without a URL") }
            try url(link.url, "social_links")
        }
    }

    private static func check(_ preferences: AccountDetails.Preferences) throws(IdentityError) {
        // RFC 5646 §2.1: letters, digits and hyphens. §4.4.1: 35 characters are enough.
        try word(preferences.language, "language", most: 35, also: "-")
        try word(preferences.timeZone, "timezone", most: 64, also: "/_+-")
        try word(preferences.theme, "theme", most: 32, also: "-_.")
        guard preferences.disabledFeatures.count <= 100 else {
            throw invalid("disabled_features", "has more than 100 entries")
        }
        for feature in preferences.disabledFeatures {
            try word(feature, "disabled_features", most: 64, also: "-_.:/")
        }
    }

    /// Requires a single line, since lists, emails and logs treat line breaks differently.
    private static func line(
        _ value: String, _ name: String, most: Int, exceptFor breaks: String = ""
    ) throws(IdentityError) {
        guard value.utf8.count <= most,
            String(value.unicodeScalars.filter { !breaks.unicodeScalars.contains($0) }).isPlain
        else {
            throw invalid(name, "is longer than \(most) bytes or contains control characters")
        }
    }

    private static func word(_ value: String, _ name: String, most: Int, also: String) throws(IdentityError) {
        guard value.isEmpty || value.isWord(maximum: most, also: also) else {
            throw invalid(name, "is not a single word")
        }
    }

    /// Requires an http or https URL: `javascript:` and `data:` URLs run in the page that shows them.
    private static func url(_ value: String, _ name: String) throws(IdentityError) {
        guard value.isEmpty || value.utf8.count <= 2048 && PublicURL.isLink(value) else {
            throw invalid(name, "is not an http or https URL")
        }
    }

    private static func invalid(_ name: String, _ problem: String) -> IdentityError {
        .invalid(name, problem)
    }
}
