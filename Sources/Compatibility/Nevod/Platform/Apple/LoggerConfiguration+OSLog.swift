// SPDX-License-Identifier: Apache-2.0

#if canImport(OSLog)
import OSLog

extension LoggerConfiguration {
    /// The default configuration of a `LoggingInterceptor`.
    static var requests: LoggerConfiguration { .oslog(category: "LoggingInterceptor") }

    /// A configuration that writes to the unified log.
    public static func oslog(
        subsystem: String = "com.nevod.network", category: String = "Nevod"
    ) -> LoggerConfiguration {
        let logger = Logger(subsystem: subsystem, category: category)
        return LoggerConfiguration(
            debugHandler: { logger.debug("\(line($0), privacy: .public)") },
            infoHandler: { logger.info("\(line($0), privacy: .public)") },
            warningHandler: { logger.warning("\(line($0), privacy: .public)") },
            errorHandler: { logger.error("\(line($0), privacy: .public)") })
    }
}
#endif
