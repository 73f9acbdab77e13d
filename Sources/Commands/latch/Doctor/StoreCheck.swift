// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchIdentity

/// A check of a server's store: whether this version can open it with this key, and which failures it survives.
struct StoreCheck: Sendable {
    /// The difference from the database's clock, in seconds, at which this machine's clock is probably wrong.
    private static let tolerance = 5.0
    /// The seconds for which an event may wait for its hook.
    private static let longestWait = 3600.0
    /// The limits of free space, in bytes, for a store that will soon be full and for one that is practically full.
    private static let (lowSpace, leastSpace): (UInt64, UInt64) = (1 << 30, 64 << 20)

    let settings: Settings

    /// Opens the store read-only.
    func run() async -> [Diagnosis] {
        let location = settings.configuration.store
        guard location.isFile else { return await inspection(of: location.path) }
        guard FileManager.default.fileExists(atPath: location.path) else { return [missing(location.path)] }
        // A full disk may be the reason why it cannot be opened.
        return await inspection(of: location.path) + [mode(of: location.path), space(at: location.path)]
    }

    /// Reports a missing file, as before the first start.
    private func missing(_ path: String) -> Diagnosis {
        let folder = Self.folder(of: path)
        guard FileManager.default.isWritableFile(atPath: folder) else {
            return .wrong(
                "store", "There is no store at '\(path)', and this user cannot create one in '\(folder)'.",
                hint: "Create the folder for the server's user, or correct the setting 'store'.")
        }
        return .warning(
            "store", "There is no store at '\(path)'.",
            hint:
                "The first start of 'latch serve' creates it; at a wrong path that would look like the loss of all accounts."
        )
    }

    private func inspection(of location: String) async -> [Diagnosis] {
        let inspection: StoreInspection
        do {
            let configuration = try settings.identityConfigurationWithKey()
            let administration = try StoreAdministration(storeKey: configuration.storeKey)
            inspection = try await administration.inspect(location, tokenPepper: configuration.tokenPepper)
        } catch {
            return [.wrong("store", error)]
        }
        var found = [schema(inspection.schema)]
        if let failure = inspection.keyFailure {
            found.append(
                .wrong(failure.code == IdentityError.anotherPepper.code ? "token pepper" : "store key", failure))
        }
        let now = Date().addingTimeInterval(inspection.clockOffset ?? 0)
        if let last = inspection.believedDate, inspection.isDoubtful(now) {
            let error = IdentityError.doubtfulDate(now, after: last)
            found.append(.warning("date", error.message, hint: error.hint ?? ""))
        }
        if let difference = inspection.clockOffset { found.append(clock(difference)) }
        if let events = inspection.events { found += self.events(events, at: now) }
        if let durability = inspection.durability { found.append(self.durability(durability)) }
        return found
    }

    private func schema(_ schema: StoreSchema) -> Diagnosis {
        let facts: JSONObject = ["schema": .integer(Int64(schema.found)), "latest": .integer(Int64(schema.latest))]
        guard schema.due != nil else { return .fine("store", "schema \(schema.found), the newest", facts: facts) }
        return .warning(
            "store", "It has schema \(schema.found), and this version migrates it to \(schema.latest).",
            hint: "The next start migrates it, or run 'latch admin migrate' now. "
                + "Back up first: a migration cannot be undone.",
            facts: facts)
    }

    /// Compares the database's clock, which all servers use, with this machine's clock.
    private func clock(_ difference: Double) -> Diagnosis {
        let facts: JSONObject = ["skewSeconds": .number((difference * 10).rounded() / 10)]
        guard abs(difference) > Self.tolerance else {
            return .fine("clock", "the database's agrees with this machine's", facts: facts)
        }
        let distance = RelativeTime.amount(abs(difference)) ?? "0 seconds"
        return .warning(
            "clock", "The database's clock is \(distance) \(difference > 0 ? "ahead of" : "behind") this machine's.",
            hint: "Servers use the database's clock. Set both with NTP: other servers refuse tokens with a wrong date.",
            facts: facts)
    }

    /// Reports events that have waited for long; nothing if none waits.
    private func events(_ backlog: EventBacklog, at now: Date) -> [Diagnosis] {
        guard let oldest = backlog.oldest else { return [] }
        let age = max(now.timeIntervalSince(oldest), 0)
        let facts: JSONObject = ["waiting": .integer(Int64(backlog.count)), "oldestSeconds": .integer(Int64(age))]
        guard age > Self.longestWait else { return [.fine("events", "waiting: \(backlog.count)", facts: facts)] }
        return [
            .warning(
                "events", "The oldest of \(backlog.count.counted("event")) waits since \(oldest.formatted(.iso8601)).",
                hint: "'latch admin hook list' shows for which hook; 'latch admin hook test NAME' shows why.",
                facts: facts)
        ]
    }

    private func durability(_ durability: DatabaseDurability) -> Diagnosis {
        let facts: JSONObject = [
            "version": .string(durability.version), "standbys": .integer(Int64(durability.standbys)),
            "settings": .object(
                JSONObject(durability.settings.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
        ]
        let hazards = durability.hazards
        guard hazards.isEmpty else {
            return .warning(
                "durability",
                "A crash of the database may lose sign-outs that were acknowledged: \(hazards.joined(separator: ", ")).",
                hint: "Set them to 'on' for this database.", facts: facts)
        }
        guard !durability.losesCommitsAtFailover else {
            return .warning(
                "durability", "No commit waits for a standby: a failover may lose sign-outs that were acknowledged.",
                hint: "Set synchronous_standby_names on the primary.", facts: facts)
        }
        return .fine(
            "durability", "PostgreSQL \(durability.version) commits to its disk, standbys: \(durability.standbys)",
            facts: facts)
    }

    /// Checks that only the owner can access the file; the server itself removes the permissions of other users.
    private func mode(of path: String) -> Diagnosis {
        let open = ["", "-wal", "-shm"].map { path + $0 }
            .compactMap { path in FileStatus(of: path).map { (path, $0) } }.filter(\.1.isOpenToOthers)
        guard let (first, status) = open.first else {
            return .fine("store file", "only for its owner")
        }
        return .wrong(
            "store file",
            "Other users can access \(first), which has mode \(status.mode): it holds keys and password hashes.",
            hint: "chmod go= \(open.map { "'\($0.0)'" }.joined(separator: " "))")
    }

    private func space(at path: String) -> Diagnosis {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfFileSystem(forPath: Self.folder(of: path))
        } catch {
            return .warning("disk", "The free space cannot be read.", hint: "Check the folder of the store.")
        }
        let free =
            (attributes[.systemFreeSize] as? UInt64)
            ?? (attributes[.systemFreeSize] as? Int).map { UInt64(clamping: $0) }
        guard let free else {
            return .warning("disk", "The free space is unknown.", hint: "Check it by 'df'.")
        }
        let text = "\(free >> 20) MiB are free where the store is"
        let facts: JSONObject = ["freeBytes": .integer(Int64(clamping: free))]
        let hint = "Make room: a server whose store is full issues no tokens."
        if free < Self.leastSpace { return .wrong("disk", text, hint: hint, facts: facts) }
        return free < Self.lowSpace
            ? .warning("disk", text, hint: hint, facts: facts) : .fine("disk", text, facts: facts)
    }

    /// Returns the folder of a file; a relative path without a folder is in the current folder.
    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
