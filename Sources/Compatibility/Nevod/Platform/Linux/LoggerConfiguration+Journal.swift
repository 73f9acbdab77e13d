// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension LoggerConfiguration {
    /// A configuration that writes lines to standard error, which systemd records in its journal.
    ///
    /// Debug and info are omitted, as the unified log of Apple platforms hides them by default.
    public static func oslog(
        subsystem: String = "com.nevod.network", category: String = "Nevod"
    ) -> LoggerConfiguration {
        let write: LogHandler = { context in
            let line = "\(subsystem) \(category): \(line(context))\n"
            // A closed standard error cannot be reported.
            try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        }
        return LoggerConfiguration(warningHandler: write, errorHandler: write)
    }
}
#endif
