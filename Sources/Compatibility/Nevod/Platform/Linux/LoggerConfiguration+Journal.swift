// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension LoggerConfiguration {
    /// The default configuration of a `LoggingInterceptor`, which a program adds to see its requests.
    static var requests: LoggerConfiguration { .journal(category: "LoggingInterceptor", writesRequests: true) }

    /// A configuration that writes lines to standard error, which systemd records in its journal.
    ///
    /// It omits debug and info entries, which the unified log of Apple platforms hides by default.
    public static func oslog(
        subsystem: String = "com.nevod.network", category: String = "Nevod"
    ) -> LoggerConfiguration {
        journal(subsystem: subsystem, category: category, writesRequests: false)
    }

    /// A configuration that writes lines to a file.
    ///
    /// - Parameter writesRequests: Whether normal events are also written.
    static func journal(
        subsystem: String = "com.nevod.network", category: String, writesRequests: Bool,
        to file: FileHandle = .standardError
    ) -> LoggerConfiguration {
        let write: LogHandler = { context in
            let line = "\(subsystem) \(category): \(line(context))\n"
            // A closed standard error cannot be reported.
            try? file.write(contentsOf: Data(line.utf8))
        }
        return LoggerConfiguration(
            infoHandler: writesRequests ? write : nil, warningHandler: write, errorHandler: write)
    }
}
#endif
