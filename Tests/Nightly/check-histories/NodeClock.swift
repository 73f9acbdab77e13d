// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProcess

/// The date of a server's machine, which is wrong by some seconds and may jump while the server runs
/// (Tests/Peers/Postgres/clock.c).
final class NodeClock: Sendable {
    /// By what a date may be wrong: by nothing, more than a replay window, minutes, or a day.
    static let offsets = [-86_400, -600, -45, 0, 45, 600, 86_400]

    /// The variables of a process with this date.
    let environment: [String: String]
    private let file: URL

    /// Compiles the library into a folder, and returns its path.
    static func library(in folder: String) async throws -> String {
        let path = try await PreloadedLibrary.compile("Postgres/clock", in: folder)
        let clock = try NodeClock("\(folder)/clock", library: path, seconds: 86_400)
        let date = try await ChildProcess.run("/bin/date", ["+%s"], environment: clock.environment).output
        let seconds = Int(String(decoding: date, as: UTF8.self).filter { $0 != "\n" }) ?? 0
        guard Double(seconds) > Date().timeIntervalSince1970 + 86_000 else {
            throw PreloadedLibrary.Failure(description: "\(path) does not change the date")
        }
        return path
    }

    /// Creates the file from which processes read how wrong their date is.
    init(_ path: String, library: String, seconds: Int) throws {
        environment = ["LD_PRELOAD": library, "CLOCK_OFFSET_FILE": path]
        file = URL(filePath: path)
        try Data(Self.bytes(seconds)).write(to: file)
    }

    /// Sets the date, also of the process that runs: the bytes change in their place.
    func set(seconds: Int) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Self.bytes(seconds))
        try handle.close()
    }

    private static func bytes(_ seconds: Int) -> [UInt8] { withUnsafeBytes(of: Int64(seconds)) { Array($0) } }
}
