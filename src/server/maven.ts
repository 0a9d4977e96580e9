import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command';
import { findOnPath, isExecutable, type Environment } from './search-path';

const downloadTimeoutMs = 300_000;
const dependencyPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.0';

export type MavenArtifact = {
  readonly groupId: string;
  readonly artifactId: string;
  readonly version: string;
};

/** Copies an artifact with everything it needs at run time into a folder of jars inside `workFolder`. */
export async function copyJars(
  artifact: MavenArtifact,
  workFolder: string,
  env: Environment,
): Promise<string> {
  const maven = findOnPath('mvn', env);
  if (maven === undefined) throw new Error('no `mvn` on PATH');
  const jars = join(workFolder, 'jars');
  await writeFile(join(workFolder, 'pom.xml'), projectOf(artifact));
  await runCommand(
    maven,
    [
      '--batch-mode',
      '--quiet',
      `${dependencyPlugin}:copy-dependencies`,
      '-DincludeScope=runtime',
      `-DoutputDirectory=${jars}`,
    ],
    { env, timeoutMs: downloadTimeoutMs, cwd: workFolder },
  );
  return jars;
}

/** `java` of JAVA_HOME, else of the search path. */
export function findJava(env: Environment): string {
  const home = env['JAVA_HOME'];
  const ofHome = home ? join(home, 'bin', 'java') : undefined;
  const java = ofHome !== undefined && isExecutable(ofHome) ? ofHome : findOnPath('java', env);
  if (java === undefined) throw new Error('no `java` in JAVA_HOME or on PATH');
  return java;
}

function projectOf({ groupId, artifactId, version }: MavenArtifact): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>longhaul</groupId>
  <artifactId>fetch</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>${groupId}</groupId>
      <artifactId>${artifactId}</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`;
}
