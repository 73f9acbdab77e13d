// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation

/// The administrator's view of an account.
struct AdministeredAccount: Sendable {
    /// The account as the routes return it.
    let json: JSONObject
    let id: String
    /// The address; the ID for an account without one, which finds it too.
    let email: String

    /// - Throws: `CommandError.failed` if a member is missing.
    init(_ json: JSONObject) throws(CommandError) {
        guard let id = json["id"]?.stringValue, let email = json["email"] else {
            throw .failed("The server has sent no account.", hint: "It is of another version.")
        }
        (self.json, self.id, self.email) = (json, id, email.stringValue ?? id)
    }

    /// The administrative role, such as `moderator`.
    var role: String { json["role"]?.stringValue ?? "unknown" }
    /// The status, such as `pending_verification`.
    var status: String { json["status"]?.stringValue ?? "unknown" }
    /// Whether the account has nothing to sign in with.
    var isGuest: Bool { json["is_guest"] == true }
    var hasPassword: Bool { json["has_password"] == true }
    /// Whether the account has a second factor; nil if unknown.
    var hasSecondFactor: Bool? { json["second_factor"]?.boolValue }

    /// Whether the account can administer the server.
    var isAdministrator: Bool {
        ["admin", "super_admin"].contains(role) && ["active", "pending_verification"].contains(status)
    }

    /// Returns the objects of a list, such as the devices.
    func list(_ name: String) -> [JSONObject] { json[name]?.arrayValue?.compactMap(\.objectValue) ?? [] }

    /// The account as the output of a subcommand.
    var result: AdminCall.Output {
        let isStatusEnough = json["email_verified"] == true || status == "pending_verification"
        let roles = json["roles"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let others = roles.filter { !["moderator", "admin", "super_admin"].contains($0) }
        let text = AccountReport.text(
            email,
            [
                ("id", id), ("username", json["username"]?.stringValue), ("name", json["name"]?.stringValue),
                ("guest", isGuest ? "yes" : nil),
                ("role", role), ("other roles", others.isEmpty ? nil : others.joined(separator: " ")),
                ("status", status + (isStatusEnough ? "" : " (address not verified)")),
                ("second factor", hasSecondFactor.map { $0 ? "yes" : "no" }),
                ("signed up", json.dateText("created_at")), ("last sign-in", json.dateText("last_login_at") ?? "never"),
                ("accepted terms", json["accepted_terms"]?.stringValue),
            ] + attributes)
        return (text, .object(json))
    }

    /// The attributes, sorted by name; a value that is not text as JSON.
    private var attributes: [(String, String?)] {
        (json["attributes"]?.objectValue ?? [:]).map { name, value in
            (name, value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self))
        }.sorted { $0.0 < $1.0 }
    }
}

extension JSONObject {
    func string(_ name: String) -> String? { self[name]?.stringValue }

    /// Returns the cell of a date; empty without one.
    ///
    /// - Parameter preposition: A word before the date in a file, which has no headings.
    func dateCell(_ name: String, after preposition: String = "") -> ListText.Cell {
        guard let text = string(name) else { return "" }
        do { return .init(try Date(text, strategy: .iso8601), after: preposition) } catch { return .init(text) }
    }

    /// Returns a date with its distance from now.
    func dateText(_ name: String) -> String? {
        guard let text = string(name) else { return nil }
        do { return AccountReport.text(try Date(text, strategy: .iso8601)) } catch { return text }
    }
}
