// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCommand
import LatchCore

/// The files in which accounts are kept: where they are, and that nobody else may read them.
enum SecretFiles {
    /// Looks at the folder and at every file of this command in it.
    static func look(in environment: [String: String]) -> Diagnosis {
        let folder = secretsFolder(in: environment)
        let facts: JSONObject = ["folder": .string(folder)]
        guard FileManager.default.fileExists(atPath: folder) else {
            return .fine("files", "none yet; they will be in \(folder)", facts: facts)
        }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                .filter { $0.hasPrefix(ClientAccounts.service + ".") }
            let open = try ([folder] + names.map { "\(folder)/\($0)" }).filter { try mode(of: $0) & 0o077 != 0 }
            guard open.isEmpty else {
                let told = try open.prefix(5).map { "\($0) has mode \(String(try mode(of: $0), radix: 8))" }
                return Diagnosis(
                    subject: "files", isFine: false, lines: ["Others may use what is this person's alone."] + told,
                    hint: "chmod -R go= '\(folder)'", facts: facts)
            }
            return .fine("files", "\(names.count) in \(folder), for this user alone", facts: facts)
        } catch {
            return .wrong("files", error)
        }
    }

    private static func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return Int(attributes[.posixPermissions] as? UInt ?? 0)
    }
}
